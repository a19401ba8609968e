# calibrate.sh — `pmlc calibrate`: with TEST_LONG=1 the file it writes has all fields, in sizes that make sense for any machine.
expect "calibrate without a file" 2 "$PMLC" calibrate
has err '^pmlc: `pmlc calibrate` needs the name of a file to write: -o FILE.json$'
expect "calibrate with an operand" 2 "$PMLC" calibrate model.pml -o "$work/m.json"
has err 'takes no operand: `model.pml`'
expect "calibrate where nothing can be written" 1 "$PMLC" calibrate --launcher=false -o "$work/none/m.json"
has err '^pmlc: cannot write `.*/none/m.json`: No such file or directory$'
lacks err 'probes'
expect "calibrate into a folder" 1 "$PMLC" calibrate --launcher=false -o "$work"
has err '^pmlc: cannot write `.*`: Is a directory$'
expect "calibrate with a launcher that fails" 1 "$PMLC" calibrate -n 1 --launcher=false -o "$work/m.json"
has err '^pmlc: the probes ended with status 1$'
if [ ! -e "$work/m.json" ] && ! ls -A "$work" | grep -q '^\.pmlc-'; then ok; else bad "calibrate: a file is left"; fi
[ -n "${TEST_LONG:-}" ] || return 0 # it takes 30 s; tests/seconds reads what one rank measures
expect "calibrate" 0 "$PMLC" calibrate -n 2 -o "$work/m.json"
# Beside others it says so, and in the name.
if grep -q '^pmlc: others took' "$work/err"; then said=' beside others .[0-9]+ % of the processors.'; elif [ -s "$work/err" ]; then said=' in runs that differ'; else said=; fi
cp "$work/m.json" "$work/out"
has out "\"name\": \"measured with 2 ranks$said\"" '"vector_bytes": (4|16|32|64),' '"networks": \[\]' \
	'"start_us": \{"region": [0-9.e-]+, "kernel": [0-9.e-]+, "vector_loop": [0-9.e-]+\}' \
	'"operations": \{"arithmetic": [0-9.e+-]+, "division": [0-9.e+-]+, "function": [0-9.e+-]+, "random": [0-9.e+-]+, "gather"' \
	'"memory": \[\[[0-9]+, [0-9.e+-]+\], ' '"f32": \{"m": \[1, 4, 16, 64, 256, 1024\]' '"f64": ' '"bf16": ' '"f16": ' \
	'"link": \{"latency_us": [0-9.e-]+, "start_us": [0-9.e-]+, "overlap": [0-9.e-]+, "gigabytes_per_second": \[\[' \
	'"shared_memory": \{"latency_us": [0-9.e-]+, "start_us": [0-9.e-]+, "overlap": [0-9.e-]+, "gigabytes_per_second": \[\['
# number KEY: the first number behind it.
number() { sed -n "s/.*\"$1\": \[*\([0-9.e+-]*\).*/\1/p" "$work/m.json" | head -1; }
# between KEY LOW HIGH
between() {
	if awk -v v="$(number "$1")" -v low="$2" -v high="$3" 'BEGIN { exit !(v + 0 >= low && v + 0 <= high) }'; then ok; else
		bad "calibrate: $1 is $(number "$1"), not from $2 to $3"
	fi
}
between region 0.001 100
between kernel 0.0005 50
between vector_loop 0.000001 5
between arithmetic 0.2 2000
between division 0.05 500
between function 0.02 200
between latency_us 0.01 5000
between start_us 0 5000
if [ "$(sed -n 's/.*"gigaflops": \[\(.*\)\].*/\1/p' "$work/m.json" | head -1 | tr ',' '\n' | awk '$1 > 0' | wc -l)" -eq 216 ]; then ok; else
	bad "calibrate: there are not 216 rates of products of f32"
fi
# Twice as many ranks as processors take turns on them, and have half of their caches.
nearest() { sed -n 's/.*"memory": \[\[\([0-9]*\),.*/\1/p' "$work/m.json" | head -1; }
half=$(($(getconf _NPROCESSORS_ONLN) * 2)) whole=$(number arithmetic) cache=$(nearest)
if [ $half -ge 4 ]; then
	expect "calibrate with more ranks than processors" 0 "$PMLC" calibrate -n $half -o "$work/m.json"
	has err "^pmlc: $half ranks on $((half / 2)) processors: $((half / 2)) are measured, and what it costs that others take turns with them\$"
	cp "$work/m.json" "$work/out"
	has out "\"name\": \"measured with $((half / 2)) ranks, for $half that share processors[^\"]*\"" "\"ranks\": $half, \"processor\": \"measured\", \"processors\": $((half / 2)), \"turn_us\": [0-9.e-]+,"
	if [ "${cache:-0}" -gt 0 ] && [ "$(nearest)" -eq $((cache / 2)) ]; then ok; else bad "calibrate: the nearest cache has $(nearest) bytes in the place of half of $cache"; fi
	[ $half -ne 4 ] || between arithmetic "$(awk -v v="$whole" 'BEGIN { print v / 1.5 }')" "$(awk -v v="$whole" 'BEGIN { print v * 1.5 }')"
	between turn_us 0.1 10000
fi
# A program that computes all the while, which nobody waits for.
(sh -c 'while :; do :; done' & echo $! >"$work/busy")
expect "calibrate beside another program" 0 "$PMLC" calibrate -n 1 -o "$work/beside.json"
kill "$(cat "$work/busy")"
has err '^pmlc: others took [0-9]+ % of the processors. time meanwhile$' '^  what is written may be slower'
cp "$work/beside.json" "$work/out"
has out '"name": "measured with 1 rank beside others .[0-9]+ % of the processors.",'
# What a region around a product takes is none of the product's.
if awk -v rate="$(number gigaflops)" -v region="$(number region)" 'BEGIN { exit !(2 / rate < 1000 * region) }'; then ok; else
	bad "calibrate: a product of one element, at $(number gigaflops) gigaflops, takes longer than entering a region, $(number region) us"
fi
