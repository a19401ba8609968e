#!/bin/sh
# Loops over indices against the same in plain C (loops.pml, loops.c; livermore.pml, livermore.c), compiled by $CC with -O3 -march=native, with and without -ffast-math: least times of a round by the
# clock, alternating, on one core; values must agree.
#   tests/bench/loops.sh BUILD_DIR [ROUNDS]
. "$(dirname "$0")/common.sh"
rounds=${2:-3}
: "${CC:=cc}"

# PROGRAM KERNEL NAME SIZE TURNS
kernels="loops 0 cholesky 400 1
loops 1 lu 300 1
loops 2 nussinov 200 1
loops 3 seidel-2d 1000 4
loops 4 jacobi-2d 1300 50
loops 5 heat-3d 120 50
loops 6 fdtd-2d 1100 50
loops 7 floyd-warshall 1000 1
loops 8 durbin 2000 1
loops 9 linear-recurrence 1000 1
loops 10 elimination 1000 1
loops 11 conditional 1000 1
loops 12 jacobi-1d 2000 500
loops 13 adi 500 20
livermore 2 livermore-2 100000 1
livermore 8 livermore-8 100000 1
livermore 9 livermore-9 100000 1
livermore 10 livermore-10 100000 1
livermore 13 livermore-13 100000 1
livermore 14 livermore-14 100000 1
livermore 21 livermore-21 100000 1"

compile() { # PROGRAM KERNEL NAME SIZE TURNS
	"$build/pmlc" -D KERNEL="$2" -D N="$4" -D TURNS="$5" "$here/$1.pml" -o "$work/$3"
	for fast in "" -ffast-math; do
		"$CC" -O3 -march=native $fast -w -DKERNEL="$2" -DN="$4L" -DTURNS="$5" "$here/$1.c" -o "$work/$3.c$fast" -lm
	done
}
# Milliseconds between what is logged before and behind the kernel, the least of the rounds, and the sum, which is computed behind that.
of_log() {
	sed 's/[{",}]/ /g; s/:/ /g' "$1" | awk '{ for (i = 1; i < NF; i++) { if ($i == "time") now = $(i + 1); if ($i == "begin") from = now
		if ($i == "behind" && (!n++ || now - from < best)) best = now - from
		if ($i == "end") sum = $(i + 1) } } END { printf "%.6f %.10g\n", 1e3 * best, sum }'
}

echo "$kernels" | while read -r program kernel name size turns; do
	compile "$program" "$kernel" "$name" "$size" "$turns"
	for i in $(seq "$rounds"); do
		"$work/$name.c-ffast-math" 5 >>"$work/$name.fast"
		"$work/$name.c" 5 >>"$work/$name.theirs"
		rm -f "$work/log"
		"$work/$name" --quiet --rounds=5 --log="$work/log" && of_log "$work/log" >>"$work/$name.ours"
	done
	echo "$(least "$work/$name.ours") $(least "$work/$name.fast") $(least "$work/$name.theirs")" | awk -v t="$name" '{ apart = $2 - $6; apart = apart < 0 ? -apart : apart
		printf "%-17s PML %9.3f ms   C %9.3f ms, without -ffast-math %9.3f ms   ratio %5.2f, %5.2f%s\n", t, $1, $3, $5, $3 / $1, $5 / $1, (apart > 1e-6 * ($6 < 0 ? -$6 : $6) ? "   OTHER VALUES" : "") }'
done
