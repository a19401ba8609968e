#!/bin/sh
# Loops over indices against the same in plain C (loops.pml, loops.c), compiled by $CC with -O3 -march=native -ffast-math: least times of a round by the
# clock, alternating, on one core; values must agree.
#   tests/bench/loops.sh BUILD_DIR [ROUNDS]
. "$(dirname "$0")/common.sh"
rounds=${2:-3}
: "${CC:=cc}"

# NAME SIZE TURNS, in the order of KERNEL
kernels="cholesky 400 1
lu 300 1
nussinov 200 1
seidel-2d 1000 4
jacobi-2d 1300 50
heat-3d 120 50
fdtd-2d 1100 50
floyd-warshall 1000 1
durbin 2000 1
linear-recurrence 1000 1
elimination 1000 1
conditional 1000 1"

compile() { # KERNEL NAME SIZE TURNS
	"$build/pmlc" -D KERNEL="$1" -D N="$3" -D TURNS="$4" "$here/loops.pml" -o "$work/$2"
	"$CC" -O3 -march=native -ffast-math -w -DKERNEL="$1" -DN="$3" -DTURNS="$4" "$here/loops.c" -o "$work/$2.c" -lm
}
# Milliseconds between what is logged before and behind the kernel, the least of the rounds, and the sum.
of_log() {
	sed 's/[{",}]/ /g; s/:/ /g' "$1" | awk '{ for (i = 1; i < NF; i++) { if ($i == "time") now = $(i + 1); if ($i == "end") { end = 1; sum = $(i + 1) } if ($i == "begin") end = 0 }
		if (!end) from = now; else if (!n++ || now - from < best) best = now - from } END { printf "%.6f %.10g\n", 1e3 * best, sum }'
}

n=0
echo "$kernels" | while read -r name size turns; do
	compile $n "$name" "$size" "$turns"
	n=$((n + 1))
	for i in $(seq "$rounds"); do
		"$work/$name.c" 5 >>"$work/$name.theirs"
		rm -f "$work/log"
		"$work/$name" --quiet --rounds=5 --log="$work/log" && of_log "$work/log" >>"$work/$name.ours"
	done
	echo "$(least "$work/$name.ours") $(least "$work/$name.theirs")" | awk -v t="$name" '{ apart = $2 - $4; apart = apart < 0 ? -apart : apart
		printf "%-16s PML %9.3f ms   C %9.3f ms   ratio %5.2f%s\n", t, $1, $3, $3 / $1, (apart > 1e-6 * ($4 < 0 ? -$4 : $4) ? "   OTHER VALUES" : "") }'
done
