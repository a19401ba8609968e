#!/bin/sh
# The price of --reproducible: the least processor time of a step without and with it, alternating within one run, for kinds of work
# and for networks. Ratios above 1 are what it costs.
#   tests/bench/reproducible.sh BUILD_DIR [ROUNDS]
# ONLY="rows vector" names cases.
. "$(dirname "$0")/common.sh"
rounds=${2:-3}

# One value y of x and w, run often enough to be a region of its own.
program() { # X W WHAT
	echo "place all = ranks(0..1);
param x : f32[$1] @ all = normal(std = 1.0);
param w : f32[$2] @ all = normal(std = 1.0);
main { for i in 0..30 { let $3; x = x * 0.999 + 0.001 * max(y); } }"
}
# compare TITLE RANKS SOURCE OPTIONS-OF-pmlc -- OPTIONS
compare() {
	title=$1 n=$2 source=$3
	shift 3
	defines=
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		defines="$defines '$1'"
		shift
	done
	[ $# -eq 0 ] || shift
	eval "\"$build/pmlc\" \"$source\" $defines -o \"$work/fast\"" && eval "\"$build/pmlc\" \"$source\" $defines --reproducible -o \"$work/same\""
	rm -f "$work/fast.ms" "$work/same.ms"
	for i in $(seq "$rounds"); do
		(cd "$work" && step processor "$n" "$work/fast" "$@") >>"$work/fast.ms"
		(cd "$work" && step processor "$n" "$work/same" "$@") >>"$work/same.ms"
	done
	echo "$(least "$work/fast.ms") $(least "$work/same.ms")" |
		awk -v t="$title" -v n="$n" '{ printf "%-36s %d rank%s   without %9.3f ms   with %9.3f ms   ratio %.1f\n", t, n, (n > 1 ? "s" : " "), $1, $2, $2 / $1 }'
}
kind() { # NAME TITLE X W WHAT
	case " ${ONLY:-$1} " in *" $1 "*) ;; *) return 0 ;; esac
	program "$3" "$4" "$5" >"$work/kind.pml"
	compare "$2" 1 "$work/kind.pml"
}
network() { # NAME TITLE RANKS SOURCE DEFINES… -- OPTIONS…
	case " ${ONLY:-$1} " in *" $1 "*) ;; *) return 0 ;; esac
	shift
	compare "$@"
}

kind product "product 256 x 256 x 256" "256, 256" "256, 256" "y = x @ w"
kind vector "vector times matrix, 1024 x 1024" "1, 1024" "1024, 1024" "y = x @ w"
kind column "matrix times vector, 1024 x 1024" "1024, 1024" "1024, 1" "y = x @ w"
kind rows "sums of 1024 rows of 1024" "1024, 1024" "1" "y = sum(x, dim = 1) * w"
kind whole "sum of 2^20 elements" "1024, 1024" "1" "y = sum(x) * w"
kind softmax "softmax of 1024 rows of 1024" "1024, 1024" "1" "y = softmax(x) * w"
kind distances "sum of |x - w|, 128 x 128 x 128" "128, 128" "128, 128" "y[i, j] = sum[k] abs(x[i, k] - w[k, j])"
kind convolution "3 x 3 convolution, 8 images 16 x 16" "8, 8, 16, 16" "16, 8, 3, 3" "y = conv2d(x, w, pad = 1)"
for n in 1 2; do
	network mlp "the benchmark's network" $n "$here/cases/mlp.pml" -D "N=$n" -- --steps=60
done
network block "a small transformer" 1 "$here/../nets/block.pml"
