# shellcheck shell=sh disable=SC2034
# common.sh — what the benchmarks begin with (read by `.`): $here, $build (the first argument), $work, one thread a process, and the
# figures of a profile.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?BUILD_DIR}
: "${PYTHON:=/usr/bin/python3}" "${MPIEXEC:=mpiexec}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 PML_CACHE=0 PMLRT_STEP_CLOCKS=0

# COLUMN of the region that runs most often, in ms; median: wall time; processor: least processor time.
step() { # COLUMN RANKS PROGRAM OPTIONS…
	step_column=$1 step_ranks=$2 step_program=$3
	shift 3
	"$MPIEXEC" -n "$step_ranks" "$step_program" --quiet --profile "$@" 2>&1 | awk -v c="$step_column" '/median/ {
		for (i = 1; i <= NF; i++) { if ($i == "calls") n = $(i - 1); if ($i == c) m = $(i + 1) }
		if (n > most) { most = n; best = m } } END { print best }'
}
least() { sort -n "$1" | head -1; }
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# What the figures are made with: pmlc, LLVM, the vector width of programs.
"$build/pmlc" --version
