#!/bin/sh
# Training steps of the 784-512-512-10 network on one rank and several against PyTorch, and of GPT-2 on two tensor-parallel ranks
# against one, as ratios within one run (one thread a process).
#   make bench        or  tests/bench/bench.sh BUILD_DIR [ROUNDS]
# Needs python3-torch; PYTHON names the interpreter that has it. Rounds alternate between the two sides; medians are printed.
. "$(dirname "$0")/common.sh"
rounds=${2:-3}

need_torch
for n in 1 2 8; do
	"$build/pmlc" -D N=$n "$here/mlp.pml" -o "$work/mlp$n"
done
"$build/pmlc" "$here/first.pml" -o "$work/first"
for n in 1 2; do
	"$build/pmlc" -D TP=$n "$here/gpt.pml" -o "$work/gpt$n"
done
# A step of 8 ranks over 2 cores is compared with 4 times the step of 2 ranks: ideal sharing.

# Milliseconds of a training step; seconds of a whole run of one step.
pml() { # N
	step median "$1" "$work/mlp$1"
}
first_step() {
	start=$(date +%s%N)
	"$work/first" --quiet >/dev/null
	echo "$start $(date +%s%N)" | awk '{ printf "%.3f\n", ($2 - $1) / 1e9 }'
}

for i in $(seq "$rounds"); do
	pml 1 >>"$work/pml1"
	"$PYTHON" "$here/torch_mlp.py" 1 >"$work/t" && cut -d' ' -f1 "$work/t" >>"$work/torch1" && cut -d' ' -f2 "$work/t" >>"$work/torch_first"
	first_step >>"$work/pml_first"
	pml 2 >>"$work/pml2"
	"$PYTHON" "$here/torch_mlp.py" 2 | cut -d' ' -f1 >>"$work/torch2"
	pml 8 >>"$work/pml8"
	for n in 1 2; do
		step median $n "$work/gpt$n" --steps=4 >>"$work/gpt2_$n"
	done
done
report() { # TITLE PEER OWN UNIT GOAL
	a=$(median "$work/$2") b=$(median "$work/$3")
	echo "$a $b" | awk -v t="$1" -v u="$4" -v g="$5" '{ printf "%-44s PyTorch %8.3f %s   PML %8.3f %s   ratio %.2f (goal %s)\n", t, $1, u, $2, u, $1 / $2, g }'
}
report "step, one rank, 64 rows" torch1 pml1 ms 1.4
report "step, two ranks, 64 rows each (DDP)" torch2 pml2 ms 3
report "start to first step" torch_first pml_first s 10
echo "$(median "$work/pml8") $(median "$work/pml2")" | awk '{ printf "%-44s %.3f ms, %.2f times ideal sharing of two ranks (goal at most 1.5)\n", "step, eight ranks on two cores", $1, $1 / (4 * $2) }'
echo "$(least "$work/gpt2_1") $(least "$work/gpt2_2")" |
	awk '{ printf "%-44s one rank %.1f ms   two %.1f ms   ratio %.2f (goal 1.7)\n", "step of GPT-2, two tensor-parallel ranks", $1, $2, $1 / $2 }'
