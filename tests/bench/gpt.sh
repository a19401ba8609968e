#!/bin/sh
# Training steps and inference of the 124M GPT-2 and a small GPT against PyTorch, one thread and f32 on both sides, and GPT-2 on two
# tensor-parallel ranks against one. Ratios within one run, of the least processor time a step took: what others on the machine
# take away is in neither side. Sides alternate.
#   make bench        or  tests/bench/gpt.sh BUILD_DIR [ROUNDS]
# Needs python3-torch; PYTHON names the interpreter that has it. ONLY="small gpt2" names the models.
. "$(dirname "$0")/common.sh"
rounds=${2:-3}
: "${ONLY:=small gpt2}"
need_torch

case_of() { # WHAT MODEL BATCH TOKENS STEPS GOAL DEFINES…
	what=$1 model=$2 batch=$3 tokens=$4 steps=$5 goal=$6
	shift 6
	[ "$what" = infer ] && infer=1 || infer=0
	name=$what.$model
	"$build/pmlc" "$@" -D B="$batch" -D T="$tokens" -D INFER=$infer "$here/gpt.pml" -o "$work/$name"
	for i in $(seq "$rounds"); do
		step processor 1 "$work/$name" --steps="$steps" >>"$work/$name.pml"
		"$PYTHON" "$here/torch_gpt.py" "$what" "$model" "$batch" "$tokens" "$steps" >>"$work/$name.torch"
	done
	echo "$(least "$work/$name.torch") $(least "$work/$name.pml")" | awk -v t="$what $model, B=$batch, T=$tokens" -v g="$goal" \
		'{ printf "%-28s PyTorch %8.1f ms   PML %8.1f ms   ratio %.2f (goal %s)\n", t, $1, $2, $1 / $2, g }'
}
two_ranks() { # STEPS
	"$build/pmlc" -D TP=2 "$here/gpt.pml" -o "$work/two"
	for i in $(seq "$rounds"); do
		step median 1 "$work/train.gpt2" --steps="$1" >>"$work/one"
		step median 2 "$work/two" --steps="$1" >>"$work/both"
	done
	echo "$(least "$work/one") $(least "$work/both")" |
		awk '{ printf "%-28s one rank %7.1f ms   two %8.1f ms   ratio %.2f (goal 1.7)\n", "train gpt2, tensor-parallel", $1, $2, $1 / $2 }'
}
small="-D D=256 -D H=4 -D L=4 -D V=4096"
for model in $ONLY; do
	if [ "$model" = small ]; then
		case_of train small 8 128 10 1.35 $small
		case_of infer small 1 64 50 1.5 $small
	else
		case_of train gpt2 4 64 4 1.3
		case_of infer gpt2 1 64 10 1.15
		two_ranks 4
	fi
done
