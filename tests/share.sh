# share.sh — read in by suites: which of alike cases `make check` runs. With TEST_WHOLE=1, as in .ci/run and for planted errors, and with
# TEST_LONG=1 all are.
#   taken 3 && check …      one of three: of the cases that ask so, one after the other, the first, the fourth, …
#   share 3 NAME...         of these the first, the fourth, …; prints them
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
