#!/bin/sh
# What `mixed` gains: the least processor time of a step in f32 over that with factors of bf16, alternating within one run, for cases of
# peers.py that multiply. Below 1 mixed is slower.
#   tests/bench/mixed.sh BUILD_DIR [ROUNDS]
# ONLY="mlp_64 convnet" names cases; FACTORS=f16; PMLC_OPTIONS=--target-cpu=x86-64-v3 is the same without instructions for bf16.
. "$(dirname "$0")/common.sh"
rounds=${2:-3}

compare() { # NAME STEPS SOURCE DEFINES…
	case " ${ONLY:-$1} " in *" $1 "*) ;; *) return 0 ;; esac
	name=$1 steps=$2 source=$3
	shift 3
	# shellcheck disable=SC2086 # words of options
	for factors in f32 "${FACTORS:-bf16}"; do
		"$build/pmlc" ${PMLC_OPTIONS:-} "$@" -D "FACTORS=$factors" "$here/$source" -o "$work/$factors"
		rm -f "$work/$factors.ms"
	done
	for i in $(seq "$rounds"); do
		for factors in f32 "${FACTORS:-bf16}"; do
			(cd "$work" && step processor 1 "$work/$factors" "--steps=$steps") >>"$work/$factors.ms"
		done
	done
	echo "$(least "$work/f32.ms") $(least "$work/${FACTORS:-bf16}.ms")" |
		awk -v t="$name" '{ printf "%-24s f32 %9.3f ms   mixed %9.3f ms   ratio %.2f\n", t, $1, $2, $1 / $2 }'
}

compare product 10 cases/product.pml
compare mlp_64 100 cases/mlp.pml
compare mlp_1024 20 cases/mlp.pml -D B=1024
compare gpt_small 4 gpt.pml -D D=256 -D H=4 -D L=4 -D V=4096 -D B=8 -D T=128
compare gpt2 3 gpt.pml
compare gpt2_inference 5 gpt.pml -D B=1 -D INFER=1
compare gpt2_decode 20 cases/decode.pml
compare convnet 10 cases/convnet.pml
compare convolution 20 cases/convolution.pml
compare convolution_transposed 20 cases/convolution.pml -D TRANSPOSED=true
compare lstm 4 cases/lstm.pml
compare attention_2048 4 cases/attention.pml
compare recommender 10 cases/recommender.pml
