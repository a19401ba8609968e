#!/bin/sh
# pipeline.sh BUILD_DIR [STEPS]: how long the ranks of a pipeline of equal stages (pipeline.pml) compute nothing, between the first pass
# over a micro-batch and the last; what a step does besides is not in it. Beside it
#   1F1B        (p - 1) / (m + p - 1), for messages at the end of passes
#   least       the same for messages that leave a backward pass before the gradients of weights are computed, after the share c of
#               its time b, f being that of a forward pass: e / (m (f + b) + e) with e = (p - 1) (f + c b); under zb, where gradients of
#               weights take w more and fill the waits, e / (m (f + b + w) + e) with e = (p - 1) (f + b - w), or f if that is more
#   estimated   what `pmlc plan` says
#   measured    by the clock, where every rank has a core; else nothing is said
#   replayed    the processor time that each pass took in the same run, put together along the order in which the ranks did them and the
#               messages they need: what the schedule costs if passes and cores were as measured and messages took no time
# pipeline_idle.py says how; f, b and c are measured. Of three runs that which took least. Fails if a measured share is more than 15 %
# above that of 1F1B, or of two thirds of it under zb.
. "$(dirname "$0")/common.sh"
steps=${2:-40}
cores=$(getconf _NPROCESSORS_ONLN) # nproc goes by OMP_NUM_THREADS, too

estimate() { # ORDER STAGES MICRO: per cent
	"$build/pmlc" plan -D "ORDER=\"$1\"" -D "PP=$2" -D "M=$3" "$here/pipeline.pml" | sed -n 's/.*ranks idle \([0-9.]*\) %.*/\1/p'
}

# What pipeline_idle.py prints of the run of three that took least.
measure() { # ORDER STAGES MICRO
	"$build/pmlc" -D "ORDER=\"$1\"" -D "PP=$2" -D "M=$3" "$here/pipeline.pml" -o "$work/p" || exit 1
	for run in 1 2 3; do
		(cd "$work" && "$MPIEXEC" -n "$2" ./p --turns="$steps" --quiet --profile=trace.json >/dev/null 2>&1) || exit 1
		"$PYTHON" "$here/pipeline_idle.py" "$work/trace.json"
	done | sort -n | head -1
}

printf 'order  stages  micro-batches    1F1B   least  estimated  measured  of 1F1B  of least  replayed  of least     f / b / w / c\n'
for p in 2 4; do
	for m in 4 8 16; do
		for order in 1f1b zb; do
			echo "$order $p $m $(estimate $order $p $m) $(measure $order $p $m)"
		done
	done
done | awk -v cores="$cores" '{
	p = $2; m = $3; f = $8; b = $9; w = $10; c = $11
	whole = 100 * (p - 1) / (m + p - 1)
	e = (p - 1) * (f + (w > 0 ? (b > w ? b - w : 0) : c * b))
	least = 100 * e / (m * (f + b + w) + e)
	clock = over = beside = "-"
	if (p <= cores) { clock = $6 " %"; over = sprintf("%.2f", $6 / whole); beside = sprintf("%.2f", $6 / least) }
	if (p <= cores && $6 > 1.15 * whole * (w > 0 ? 2 / 3 : 1)) late = 1
	printf "%-5s  %6d  %13d  %4.1f %%  %4.1f %%  %7s %%  %8s  %7s  %8s  %6s %%  %8.2f  %s / %s / %s / %s\n", $1, p, m, whole, least, $4, clock, \
		over, beside, $7, $7 / least, f, b, w, c
	} END { if (cores < 4) print "measured only with as many cores as stages; here are " cores
		exit late }'
