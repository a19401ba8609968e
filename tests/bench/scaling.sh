#!/bin/sh
# What more ranks bring on two cores, in the benchmark's network, in GPT-2 and in the heat equation, as ratios within one run (one thread a process).
#   tests/bench/scaling.sh BUILD_DIR [ROUNDS]
# Rounds alternate; medians are printed. Needs nothing but the build; what peers do on several ranks is in ranks.py.
. "$(dirname "$0")/common.sh"
rounds=${2:-3}

for n in 2 8; do
	"$build/pmlc" -D N=$n -D B=$((64 * n)) "$here/cases/mlp.pml" -o "$work/mlp$n"
done
for n in 1 2; do
	"$build/pmlc" -D TP=$n "$here/gpt.pml" -o "$work/gpt$n"
done
for n in 1 2; do
	"$build/pmlc" -D POINTS=4096 -D STEPS=40 -D "grid=ranks(0..$n) as (x = $n, y = 1)" "$here/../../examples/heat.pml" -o "$work/heat$n"
done
for i in $(seq "$rounds"); do
	for n in 2 8; do
		step median $n "$work/mlp$n" --steps=300 >>"$work/mlp_ms$n"
	done
	for n in 1 2; do
		step median $n "$work/gpt$n" --steps=4 >>"$work/gpt_ms$n"
		step median $n "$work/heat$n" >>"$work/heat_ms$n"
	done
	# What the machine itself allows where memory binds: two programs of one rank, which have nothing to do with each other, at the same time.
	step median 1 "$work/heat1" >>"$work/heat_beside" &
	step median 1 "$work/heat1" >"$work/heat_other"
	wait
	cat "$work/heat_other" >>"$work/heat_beside"
done
# A step of 8 ranks over 2 cores is compared with 4 times the step of 2 ranks: ideal sharing.
echo "$(median "$work/mlp_ms8") $(median "$work/mlp_ms2")" |
	awk '{ printf "%-44s %.3f ms, %.2f times ideal sharing of two ranks (goal at most 1.3)\n", "step, eight ranks on two cores", $1, $1 / (4 * $2) }'
echo "$(least "$work/gpt_ms1") $(least "$work/gpt_ms2")" |
	awk '{ printf "%-44s one rank %.1f ms   two %.1f ms   ratio %.2f (goal 1.7)\n", "step of GPT-2, two tensor-parallel ranks", $1, $2, $1 / $2 }'
echo "$(least "$work/heat_ms1") $(least "$work/heat_ms2") $(least "$work/heat_beside")" |
	awk '{ printf "%-44s one rank %.1f ms   two %.1f ms   ratio %.2f (goal 1.7), %.2f of what two such programs beside each other do\n",
		"step of heat, 4096 x 4096 points", $1, $2, $1 / $2, $3 / (2 * $2) }'
