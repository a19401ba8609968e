#!/bin/sh
# All-reduces of one host by the clock, PML's over MPI_Allreduce of the same MPI: medians of one run after the other, the least of some rounds. Both copy a
# part first. Above 1 PML is faster. With two ranks also what they could do at best, by hand, over MPI_Allreduce. Nothing else
# should run. What takes less than the clocks of --profile is what more steps take longer, in all.
#   tests/bench/allreduce.sh BUILD_DIR [RANKS [ROUNDS]]
. "$(dirname "$0")/common.sh"
ranks=${2:-2} rounds=${3:-3}
"${MPICC:-mpicc}" -O3 -march=native "$here/allreduce.c" -o "$work/allreduce-peer" || exit 1
# ms of a step, of so many without --profile.
many() { # RANKS PROGRAM STEPS
	many_begin=$(date +%s%N)
	"$MPIEXEC" -n "$1" "$2" --quiet --steps=1
	many_one=$(date +%s%N)
	"$MPIEXEC" -n "$1" "$2" --quiet --steps="$3"
	echo "$many_begin $many_one $(date +%s%N) $3" | awk '{ print ($3 - $2 - ($2 - $1)) / 1e6 / ($4 - 1) }'
}

for elements in 1024 16384 262144 4194304; do
	"$build/pmlc" -D E=$elements -D N="$ranks" "$here/allreduce.pml" -o "$work/allreduce" || exit 1
	rm -f "$work/ours.ms" "$work/mpi.ms" "$work/shared.ms"
	count=$((elements < 4096 ? 20000 : 200))
	for i in $(seq "$rounds"); do
		if [ $elements -lt 4096 ]; then
			many "$ranks" "$work/allreduce" 300000
		else
			step median "$ranks" "$work/allreduce"
		fi >>"$work/ours.ms"
		"$MPIEXEC" -n "$ranks" "$work/allreduce-peer" mpi $elements $count >>"$work/mpi.ms"
		[ "$ranks" -ne 2 ] || "$MPIEXEC" -n 2 "$work/allreduce-peer" shared $elements $count >>"$work/shared.ms"
	done
	echo "$(least "$work/ours.ms") $(least "$work/mpi.ms") $([ "$ranks" -ne 2 ] || least "$work/shared.ms")" | awk -v n=$elements '{
		printf "%9d B   PML %9.4f ms   MPI_Allreduce %9.4f ms   ratio %.2f", 4 * n, $1, $2, $2 / $1
		if (NF > 2) printf "   by hand %9.4f ms   ratio %.2f", $3, $2 / $3
		print "" }'
done
