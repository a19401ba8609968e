#!/bin/sh
# Exchanges within a host by the clock: an all-gather, two all-to-alls and a reduce-scatter in which each rank packs so many kB, through memory that
# ranks share as far as the runtime wants to, and as messages of MPI (PMLRT_WINDOW_BYTES=0): medians of runs in turns, the least of some rounds.
# Above 1 messages take longer. Nothing else should run.
#   tests/bench/exchange.sh BUILD_DIR [RANKS [ROUNDS]]
. "$(dirname "$0")/common.sh"
ranks=${2:-2} rounds=${3:-3}
for kind in gather all_to_all scatter; do
	for kb in 16 128 512 1024 2048; do
		"$build/pmlc" -D N="$ranks" -D BYTES=$((kb * 1024)) "$here/exchange_$kind.pml" -o "$work/exchange" || exit 1
		rm -f "$work"/*.ms
		for i in $(seq "$rounds"); do
			step median "$ranks" "$work/exchange" >>"$work/ours.ms"
			PMLRT_WINDOW_BYTES=0 step median "$ranks" "$work/exchange" >>"$work/messages.ms"
		done
		echo "$(least "$work/ours.ms") $(least "$work/messages.ms")" | awk -v kind=$kind -v kb=$kb '{
			printf "%-10s %5d kB   %9.4f ms   by messages %9.4f ms   ratio %.2f\n", kind, kb, $1, $2, $2 / $1 }'
	done
done
