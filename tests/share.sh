# share.sh — read in by suites: which of alike cases `make check` runs, and what is waited for. With TEST_WHOLE=1, as in .ci/run and for planted errors, and with
# TEST_LONG=1 all are.
#   taken 3 && check …      one of three: of the cases that ask so, one after the other, the first, the fourth, …
#   share 3 NAME...         of these the first, the fourth, …; prints them
#   soon COMMAND...         waits until it succeeds, on a machine that others use too: at most 20 seconds
taken() { # ONE-IN-SO-MANY
	eval "taken_$1=\$((\${taken_$1:-0} + 1))"
	[ -n "${TEST_WHOLE:-}${TEST_LONG:-}" ] || eval "[ \$((taken_$1 % $1)) -eq $((1 % $1)) ]"
}
share() { # ONE-IN-SO-MANY NAME...
	share_every=$1 share_number=0
	shift
	for share_name; do
		[ -z "${TEST_WHOLE:-}${TEST_LONG:-}" ] && [ $((share_number % share_every)) -ne 0 ] || printf '%s\n' "$share_name"
		share_number=$((share_number + 1))
	done
}
soon() { # COMMAND...
	soon_tries=0
	until "$@"; do
		[ $soon_tries -lt 400 ] || return 1
		sleep 0.05
		soon_tries=$((soon_tries + 1))
	done
}
