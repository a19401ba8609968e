#!/bin/sh
# What it gains that small reductions travel together: the median step of a program with 16 gradients of one size, and of the
# benchmark's network, with buckets and without, alternating within one run. Ratios above 1 are gains.
#   tests/bench/buckets.sh BUILD_DIR [ROUNDS]
# The limits of runtime/bucket.h stem from this table; sizes above the limit are equal on both sides.
. "$(dirname "$0")/common.sh"
rounds=${2:-5}

# 16 params of SIZE floats, each with a gradient that is a sum over the ranks.
program() { # SIZE RANKS
	echo "place all = ranks(0..$2);"
	terms=""
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		echo "param w$i : f32[$1] @ all = normal(std = 0.1);"
		terms="$terms + sum(x * w$i * w$i)"
	done
	echo "fn objective[n](x: f32[n, $1] @ all : S(0)) -> f32 @ all { return (0.0$terms) to B; }"
	echo "main { for i in 0..150 { let (l, g) = value_and_grad(objective)(iota($2 * $1) as f32 |> f to @all : S(0)); } }" |
		sed "s/iota($2 \* $1) as f32 |> f/reshape(iota($2 * $1) as f32, [$2, $1])/; s/; } }/; each (p, d) in g { p = p - 0.0 * d; } } }/"
}

compare() { # TITLE PROGRAM RANKS OPTIONS…
	title=$1 p=$2 n=$3
	shift 3
	rm -f "$work/alone" "$work/together"
	for i in $(seq "$rounds"); do
		(export PMLRT_BUCKETS=0 && step median "$n" "$p" "$@") >>"$work/alone"
		(export PMLRT_BUCKETS=1 && step median "$n" "$p" "$@") >>"$work/together"
	done
	echo "$(median "$work/alone") $(median "$work/together")" |
		awk -v t="$title" -v n="$n" '{ printf "%-28s %d ranks   alone %8.3f ms   together %8.3f ms   ratio %.2f\n", t, n, $1, $2, $1 / $2 }'
}

for n in 2 8; do
	for size in ${SIZES:-256 4096 16384 65536}; do
		program $size $n >"$work/p.pml"
		"$build/pmlc" "$work/p.pml" -o "$work/p"
		compare "16 gradients of $((size * 4 / 1024)) kB" "$work/p" $n
	done
	"$build/pmlc" -D N=$n -D B=$((64 * n)) "$here/cases/mlp.pml" -o "$work/mlp"
	compare "the benchmark's network" "$work/mlp" $n --steps=200
done
