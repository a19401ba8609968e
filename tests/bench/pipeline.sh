#!/bin/sh
# pipeline.sh BUILD_DIR [STEPS]: how long the ranks of a pipeline of equal stages (pipeline.pml) compute nothing, between the first pass
# over a micro-batch and the last; what a step does besides is not in it. Beside it
#   1F1B        (p - 1) / (m + p - 1), for messages at the end of passes
#   early       the same for messages that leave a backward pass before the gradients of weights are computed, after the share c of
#               its time b, f being that of a forward pass: e / (m (f + b) + e) with e = (p - 1) (f + c b)
#   estimated   what `pmlc plan` says
#   measured    by the clock, where every rank has a core; else nothing is said
#   replayed    the processor time that each pass took in the same run, put together along the order in which the ranks did them and the
#               messages they need: what the schedule costs if passes and cores were as measured and messages took no time
# pipeline_idle.py says how; f, b and c are measured. Of three runs that which took least. Fails if a measured share is more than 15 %
# above that of 1F1B.
. "$(dirname "$0")/common.sh"
steps=${2:-40}
cores=$(getconf _NPROCESSORS_ONLN) # nproc goes by OMP_NUM_THREADS, too

estimate() { # STAGES MICRO: per cent
	"$build/pmlc" plan -D "PP=$1" -D "M=$2" "$here/pipeline.pml" | sed -n 's/.*ranks idle \([0-9.]*\) %.*/\1/p'
}

# What pipeline_idle.py prints of the run of three that took least.
measure() { # STAGES MICRO
	"$build/pmlc" -D "PP=$1" -D "M=$2" "$here/pipeline.pml" -o "$work/p" || exit 1
	for run in 1 2 3; do
		(cd "$work" && "$MPIEXEC" -n "$1" ./p --turns="$steps" --quiet --profile=trace.json >/dev/null 2>&1) || exit 1
		"$PYTHON" "$here/pipeline_idle.py" "$work/trace.json"
	done | sort -n | head -1
}

printf 'stages  micro-batches    1F1B   early  estimated  measured  of 1F1B  of early  replayed  of early     f / b / c\n'
for p in 2 4; do
	for m in 4 8 16; do
		echo "$p $m $(estimate $p $m) $(measure $p $m)"
	done
done | awk -v cores="$cores" '{
	p = $1; m = $2; f = $7; b = $8; c = $9
	whole = 100 * (p - 1) / (m + p - 1)
	e = (p - 1) * (f + c * b)
	early = 100 * e / (m * (f + b) + e)
	clock = over = beside = "-"
	if (p <= cores) { clock = $5 " %"; over = sprintf("%.2f", $5 / whole); beside = sprintf("%.2f", $5 / early) }
	if (p <= cores && $5 > 1.15 * whole) late = 1
	printf "%6d  %13d  %4.1f %%  %4.1f %%  %7s %%  %8s  %7s  %8s  %6s %%  %8.2f  %s / %s / %s\n", p, m, whole, early, $3, clock, over, \
		beside, $6, $6 / early, f, b, c
	} END { if (cores < 4) print "measured only with as many cores as stages; here are " cores
		exit late }'
