# bytes.sh — part of run: what a step sends, in closed form, as planned, and as counted, in one table. All must be equal to the byte;
# what the scheme's form does not cover is a form of its own, named in the last column. Counters: of a few, or of all; two blocks as well
# with TEST_LONG=1. `make check` takes those with counters, and of the others every third.

# Bytes of all ranks in one step, as planned.
planned() { # FILE OPTIONS...
	"$PMLC" plan --json "$@" | sed -n 's/^ *"step": .*"all": {[^}]*"bytes": \([0-9]*\)}.*/\1/p' | head -1
}

# The same as counted by the runtime over two steps.
counted() { # RANKS FILE OPTIONS...
	ranks=$1
	shift
	"$PMLC" "$@" -o "$work/counted" >"$work/log" 2>&1 || return 1
	(cd "$work" && timeout 60 "$MPIEXEC" -n "$ranks" ./counted --quiet --steps=2 --profile=trace.json </dev/null) >"$work/log" 2>&1
	awk '/"calls":/ && /"announced":/ { sub(/.*"bytes": /, ""); sub(/,.*/, ""); sum += $0 } END { print sum / 2 }' "$work/trace.json"
}

extent() { # AXIS OPTIONS-TEXT
	found=$(echo "$2" | sed -n "s/.*[(, ]$1=\([0-9]*\).*/\1/p")
	echo "${found:-1}"
}

# Binds the letters of the forms: extents by the options, sizes as the networks have them.
bind() { # OPTIONS-TEXT
	d=$(extent d "$1") t=$(extent t "$1") c=$(extent c "$1") e=4
	D=24 F=48 V=30 T=8 Q=$((D)) X=$((4 * T * D * e)) S=$((4 * D * D + 2 * D * F + F)) U=$((5 * D))
	W=$((S + U)) R=$((2 * V * D + T * D))
	M=$((784 * 256 + 256 + 256 * 10 + 10)) C=10 Y=$((50 * 10 * e)) A=$((50 * 256 * e))
}

compare_bytes() { # NETWORK SCHEME RANKS OPTIONS FORM OTHERS WHY, of one size of the network
	eval "set -- \"\$1\" \"\$2\" \"\$3\" \"\$4\" \"\$5\" \"\$6\" \"\$7\" $4"
	net=$1 scheme=$2 ranks=$3 form=$5 others=$6 why=$7
	shift 7
	plan=$(planned "$@") count=-
	sampled "$net $scheme" && count=$(counted "$ranks" "$@")
	printf '%-5s %-22s %5s %12s %10s %12s %12s  %s\n' "$net" "$scheme" "$ranks" "$((form / ranks))" "$((others / ranks))" \
		"$((plan / ranks))" "$([ "$count" = - ] && echo - || echo $((count / ranks)))" "$why"
	if [ "$plan" = $((form + others)) ] && { [ "$count" = - ] || [ "$count" = "$plan" ]; }; then ok; else
		bad "bytes of $net, $scheme: $form + $others in closed form, $plan planned, $count counted"
	fi
}

sampled() { [ -n "${TEST_LONG:-}" ] || case $1 in "mlp ZeRO-3" | "block data x tensor 1") true ;; *) false ;; esac }

trim() { echo "$1" | sed 's/^ *//; s/ *$//'; }

check_scheme() { # NETWORK SCHEME RANKS OPTIONS FORM OTHERS WHY
	case "$1 $2" in "mlp ZeRO-3" | "block data x tensor") ;; *) taken 3 || return ;; esac
	bind "$4"
	if [ "$1" = mlp ]; then
		compare_bytes "$1" "$2" "$3" "$here/fashion.pml $4" $(($5)) $(($6)) "$7"
		return
	fi
	# Blocks on each placement; of two, turn by turn: as a loop both have the same layouts, and so few sequences move sooner than sums for
	# params.
	for blocks in 1 ${TEST_LONG:+2}; do
		compare_bytes "$1" "$2 $blocks" "$3" "$here/block.pml --loops=unrolled -D L=$blocks $4" $((2 * blocks * (${5%|*}) + (${5#*|}))) \
			$((2 * blocks * (${6%|*}) + (${6#*|}))) "$7"
	done
}

check_bytes() {
	echo "bytes that a step sends, per rank (mean)"
	printf '%-5s %-22s %5s %12s %10s %12s %12s  %s\n' net scheme ranks "closed form" others planned counted "what the others are"
	grep -v -e '^#' -e '^$' "$here/closed_forms" >"$work/forms"
	while IFS=';' read -r net scheme ranks options form others why; do
		check_scheme "$(trim "$net")" "$(trim "$scheme")" "$(trim "$ranks")" "$options" "$form" "$others" "$(trim "$why")"
	done <"$work/forms"
}
