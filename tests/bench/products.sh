#!/bin/sh
# Products of matrices against oneDNN and OpenBLAS (libdnnl2, libopenblas0; what is missing is left out), f32 and f64, for each width of
# vectors that this machine has, to which the libraries are held as well. Gigaflops of one thread by least processor time, and ours over
# the better of them.
#   make bench        or  tests/bench/products.sh BUILD_DIR [ROUNDS]
. "$(dirname "$0")/common.sh"
rounds=${2:-5}

compare() { # VECTOR_BYTES ISA-OF-ONEDNN CORE-OF-OPENBLAS
	for type in f32 f64; do
		echo "vectors of $1 bytes"
		ONEDNN_MAX_CPU_ISA=$2 OPENBLAS_CORETYPE=$3 OPENBLAS_NUM_THREADS=1 "$build/tests/bench/products" "$1" "$rounds" $type
	done
}
if grep -qw avx2 /proc/cpuinfo; then compare 32 AVX2 Haswell; else compare 16 SSE41 Nehalem; fi
if grep -qw avx512dq /proc/cpuinfo; then compare 64 AVX512_CORE SkylakeX; fi
