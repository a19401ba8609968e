# found.sh — for parts that search programs without a placement: machines, and what is true of all that is found.
. "$here/machine.sh"
# links NAME HOSTS RANKS WITHIN BETWEEN LATENCY: links of so many GB/s within hosts and between them, of so many us.
links() {
	cat >"$work/$1.json" <<-EOF
		{"name": "$1",
		 "processors": [{"name": "p", "vector_bytes": 32, "start_us": {"region": 0, "kernel": 0.5, "vector_loop": 0}, "memory": 20,
		   "operations": {"arithmetic": 8, "division": 2, "function": 1, "random": 1, "gather": 1, "scalar": 1, "prefix": 1, "pack": 1, "sort": 0.1},
		   "products": {"f32": {"m": [1, 256], "n": [1, 256], "k": [1, 256], "gigaflops": [1, 8, 8, 20, 8, 20, 20, 50]}}}],
		 "hosts": [{"count": $2, "ranks": $3, "processor": "p", "link": {"latency_us": $6, "start_us": 0.1, "gigabytes_per_second": $4, "overlap": 0}}],
		 "networks": [{"name": "net", "joins": $(($2 > 1 ? $2 : 2)), "link": {"latency_us": $6, "start_us": 0.1, "gigabytes_per_second": $5, "overlap": 0.5}}]}
	EOF
}
# found NAME MACHINE RANKS FILE OPTIONS...: searches, and wants what is written to be legal, and the same once more (without TEST_LONG=1 only
# the first time). Without TEST_LONG=1 the plans that come next by the cost model are not compiled and played.
searched= tries=
[ -n "${TEST_LONG:-}${TEST_WHOLE:-}" ] || tries=--tries=1
found() {
	what=$1 on=$2 n=$3 program=$4
	shift 4
	rm -f "$work/found.pml"
	# shellcheck disable=SC2086
	expect "$what" 0 "$PMLC" search $tries --machine="$work/$on.json" -n "$n" "$@" "$program" -o "$work/found.pml"
	has out '^a step takes ' 'within 0\.0 % of the best there is'
	cp "$work/out" "$work/first"
	if "$PMLC" check "$work/found.pml" >"$work/log" 2>&1 && ! grep -q auto "$work/found.pml"; then ok; else bad "$what: what was written is not legal: $(cat "$work/log")"; fi
	[ -n "${TEST_LONG:-}" ] || [ -z "$searched" ] || return
	searched=yes
	cp "$work/found.pml" "$work/once.pml"
	# shellcheck disable=SC2086
	"$PMLC" search $tries --machine="$work/$on.json" -n "$n" "$@" "$program" -o "$work/found.pml" >"$work/out"
	if cmp -s "$work/found.pml" "$work/once.pml" && cmp -s "$work/out" "$work/first"; then ok; else bad "$what: two searches differ"; fi
}
# wrote PATTERN...: lines of what was found.
wrote() {
	for pattern; do
		if grep -qE -- "$pattern" "$work/found.pml"; then ok; else bad "$what: no line is like $pattern in: $(cat "$work/found.pml")"; fi
	done
}
# takes: the MB of a rank that the last search found.
takes() { sed -n 's/^a step takes .*, a rank \([0-9.]*\) MB.*/\1/p' "$work/out"; }
