#!/bin/sh
# Operators over 4096 x 4096 f32 against copying the same array, as ratios of least processor times within one run (one thread).
#   tests/bench/operators.sh BUILD_DIR [ROUNDS]
. "$(dirname "$0")/common.sh"
rounds=${2:-3}

names="copy transpose transpose_add cumsum cumsum_rows cumsum_gradient top_10 argmax sort layernorm layernorm_gradient softmax softmax_gradient"
names="$names gelu_gradient axpy chain transcendental column_sums maximum"
n=0
for name in $names; do
	"$build/pmlc" -D OP=$n "$here/operators.pml" -o "$work/$name"
	n=$((n + 1))
done
for i in $(seq "$rounds"); do
	for name in $names; do
		step processor 1 "$work/$name" >>"$work/$name.ms"
	done
done
copy=$(least "$work/copy.ms")
for name in $names; do
	echo "$(least "$work/$name.ms") $copy" | awk -v t="$name" '{ printf "%-20s %9.2f ms   %6.2f times a copy\n", t, $1, $1 / $2 }'
done
