#!/bin/sh
# pipeline.sh BUILD_DIR [STEPS]: how long the ranks of a pipeline of equal stages are idle, beside (p - 1) / (m + p - 1).
# Idle is a rank's time in waits within a step, as the program's trace has it, over the length of the step; the median step of all
# ranks counts. It means something where ranks have a core each: with more stages than cores it is said so and only what
# `pmlc plan` estimates is printed.
. "$(dirname "$0")/common.sh"
steps=${2:-60}
cores=$(getconf _NPROCESSORS_ONLN) # nproc goes by OMP_NUM_THREADS, too

estimate() { # STAGES MICRO: per cent
	"$build/pmlc" plan -D "grid=ranks(0..$1) as (pp=$1, dp=1, tp=1)" -D "M=$2" -D D=256 "$here/../../examples/pipeline.pml" |
		sed -n 's/.*ranks idle \([0-9.]*\) %.*/\1/p'
}

measure() { # STAGES MICRO: per cent
	"$build/pmlc" -D "grid=ranks(0..$1) as (pp=$1, dp=1, tp=1)" -D "M=$2" -D D=256 "$here/../../examples/pipeline.pml" -o "$work/p" || exit 1
	(cd "$work" && "$MPIEXEC" -n "$1" ./p --steps="$steps" --quiet --profile=trace.json >/dev/null 2>&1) || exit 1
	"$PYTHON" - "$work/trace.json" <<'PYTHON'
import collections, json, statistics, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
region, wait = collections.defaultdict(list), collections.defaultdict(list)
for e in events:
    if e["ph"] == "X" and e["name"].startswith("wait "):
        wait[e["pid"]].append((e["ts"], e["dur"]))
    elif e["ph"] == "X" and e["name"].startswith("region main"):
        region[e["pid"]].append((e["ts"], e["dur"]))
shares = []
for rank, steps in region.items():
    longest = max(d for _, d in steps)
    for at, length in steps[len(steps) // 10:]:
        if length > longest / 20:
            shares.append(sum(d for t, d in wait[rank] if at <= t < at + length) / length)
print("%.1f" % (100 * statistics.median(shares)))
PYTHON
}

printf 'stages  micro-batches  (p-1)/(m+p-1)  estimated by plan  measured\n'
for p in 2 4; do
	for m in 4 8 16; do
		ideal=$(awk "BEGIN { printf \"%.1f\", 100 * ($p - 1) / ($m + $p - 1) }")
		[ "$p" -le "$cores" ] && measured="$(measure $p $m) %" || measured="not on $cores cores"
		printf '%6d  %13d  %11s %%  %15s %%  %s\n' "$p" "$m" "$ideal" "$(estimate $p $m)" "$measured"
	done
done
