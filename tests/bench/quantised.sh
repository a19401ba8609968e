#!/bin/sh
# Rows times a matrix of 4096 x 4096 in f32 over the same with weights of 8 and of 4 bits (nn.quantized): least processor times, alternating within one run.
# Above 1 the narrow ones are faster.
#   tests/bench/quantised.sh BUILD_DIR [ROUNDS]
. "$(dirname "$0")/common.sh"
rounds=${2:-3}
for rows in 1 2 4; do
	for bits in 32 8 4; do
		# shellcheck disable=SC2086 # words of options
		"$build/pmlc" ${PMLC_OPTIONS:-} -D M=$rows -D BITS=$bits "$here/quantised.pml" -o "$work/q$bits"
		rm -f "$work/q$bits.ms"
	done
	for i in $(seq "$rounds"); do
		for bits in 32 8 4; do
			step processor 1 "$work/q$bits" >>"$work/q$bits.ms"
		done
	done
	echo "$(least "$work/q32.ms") $(least "$work/q8.ms") $(least "$work/q4.ms")" | awk -v n="$rows" '{
		printf "%d rows   f32 %7.3f ms   8 bits %7.3f ms   ratio %.2f   4 bits %7.3f ms   ratio %.2f\n", n, $1, $2, $1 / $2, $3, $1 / $3 }'
done
