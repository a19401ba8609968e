# simulate.sh — `pmlc simulate`: closed forms, what-ifs, timelines, wrong use.
. "$here/machine.sh"
machine near 1 64 1 1e6
machine far 32 2 1 1e6
machine computing 1 2 1 0.001

# simulated NAME MACHINE NS OPTIONS: that many ns a step, and with what the options say `otherwise` (0: no options), give or take 40.
simulated() {
	name=$1 on=$2 ns=$3 otherwise=$4
	shift 4
	expect "$name" 0 "$PMLC" simulate --json --machine="$work/$on.json" "$work/simulated.pml" "$@"
	lacks err .
	for key in ns ns_otherwise; do
		got=$(sed -n "s/.*\"$key\": \([0-9]*\).*/\1/p" "$work/out")
		[ $key = ns ] && want=$ns || want=$otherwise
		[ "$want" -eq 0 ] && [ -z "$got" ] && continue
		if [ -n "$got" ] && [ "$got" -ge "$want" ] && [ "$got" -le $((want + 40)) ]; then ok; else bad "$name: $key is ${got:-missing}, not $want"; fi
	done
}
cat >"$work/simulated.pml" <<-'EOF'
	place c = ranks(0..2);
	place d = ranks(2..4);
	param u : f32[500000] @ c : S(0) = ones();
	param v : f32[500000] @ d : S(0) = ones();
	main { for i in 0..9 { v = u to @d : S(0); } }
EOF
simulated "two messages within a host" near 1100000 0
simulated "two messages over one link" far 2100000 0
simulated "over a link twice as fast" far 2100000 1100000 --bandwidth=2
simulated "over a network twice as fast" far 2100000 1100000 --bandwidth=net:2
simulated "within hosts nothing is faster then" far 2100000 2100000 --bandwidth=host:2
simulated "over a link four times slower" far 2100000 8100000 --bandwidth=0.25
# Both ways at once.
sed '/"networks"/s/"overlap": 1/"overlap": 1, "duplex": 0.5/' "$work/far.json" >"$work/duplex.json"
cp "$work/simulated.pml" "$work/one_way.pml"
cat >"$work/simulated.pml" <<-'EOF'
	place c = ranks(0..1);
	place d = ranks(2..3);
	param u : f32[250000] @ c : B = ones();
	param v : f32[250000] @ d : B = ones();
	param x : f32[250000] @ d : B = ones();
	param y : f32[250000] @ c : B = ones();
	main { for i in 0..9 { v = u to @d; y = x to @c; } }
EOF
simulated "a message each way" far 1100000 0
simulated "a message each way, over a link that has half of its rate then" duplex 2100000 0
mv "$work/one_way.pml" "$work/simulated.pml"
simulated "two messages one way over such a link" duplex 2100000 0
expect "links in a table" 0 "$PMLC" simulate --machine="$work/far.json" "$work/simulated.pml"
has out '^simulated: 4 ranks on `far`$' '^  a step takes 2.10 ms$' '^  ranks idle 100.0 % of it on average' \
	'^  net +2 +2.0 MB +95.2 % +95.2 % +host 0$'
lacks out 'within hosts' 'with'

# A straggler keeps the other one waiting: 250 turns of five operations on 200 elements, which are copied twice, then a sum.
cat >"$work/simulated.pml" <<-'EOF'
	place all = ranks(0..2);
	param k : f32[200] @ all : B = ones();
	fn long(z) { var u = z; for i in 0..250 { u = u * 0.5 + z; } return u; }
	param s : f32[2, 2] @ all : S(0) = ones();
	param t : f32[2] @ all : B = ones();
	main { for i in 0..9 { k = long(k); t = sum(s * k[0], dim = 0) to B; } }
EOF
expect "a straggler" 0 "$PMLC" simulate --machine="$work/computing.json" "$work/simulated.pml" --slow=1:3
has out '^  a step takes 251 ms$' '^with --slow=1:3: (2.99[0-9]|3.000) times as long$' '^  a step takes 753 ms$' \
	'least rank 1 \(0.0 %\), most rank 0 \(66.[67] %\)$'
expect "a faster rank" 0 "$PMLC" simulate --machine="$work/computing.json" "$work/simulated.pml" --slow=1:0.5
has out '^with --slow=1:0.5: 1.000 times as long$'

# Ranks that take turns on processors: RANKS PROCESSORS TURN_US of the machine `computing`.
turns() { sed "s/\"ranks\": 2, \"processor\": \"p\"/\"ranks\": $1, \"processor\": \"p\", \"processors\": $2, \"turn_us\": $3/" "$work/computing.json" >"$work/turns.json"; }
# took NAME LEAST MOST: so many ms a step of the program.
took() {
	expect "$1" 0 "$PMLC" simulate --json --machine="$work/turns.json" "$work/simulated.pml"
	if awk -v v="$(sed -n 's/.*"ns": \([0-9]*\).*/\1/p' "$work/out")" -v a="$2" -v b="$3" 'BEGIN { exit !(v / 1e6 >= a && v / 1e6 <= b) }'; then ok; else
		bad "$1: $(sed -n 's/.*"ns": \([0-9]*\).*/\1/p' "$work/out") ns, not from $2 to $3 ms"
	fi
}
turns 2 2 1000000
took "a processor for each" 250.5 252
turns 2 1 0
took "two ranks on one processor" 500.5 504
turns 2 1 10000
took "two ranks on one processor, which takes 10 ms from one to the other" 600 900
sed 's/ranks(0..2)/ranks(0..4)/; s/f32\[2, 2\]/f32[4, 2]/' "$work/simulated.pml" >"$work/four.pml"
mv "$work/simulated.pml" "$work/two.pml" && mv "$work/four.pml" "$work/simulated.pml"
turns 4 2 0
took "four ranks on two processors" 500.5 508
turns 4 3 0
took "four ranks on three processors" 335 508
turns 4 1 0
took "four ranks on one processor" 1000.5 1016
expect "ranks that take turns for SMPI" 1 "$PMLC" simulate --machine="$work/turns.json" "$work/simulated.pml" --replay="$work/replay"
has err '^pmlc: --replay: ranks of `computing` share processors, which SMPI.s do not$'
# Who waits lets the other one go on: one after the other takes as long on one processor as on two.
cat >"$work/simulated.pml" <<-'EOF'
	place c = ranks(0..1);
	place d = ranks(1..2);
	param k : f32[200] @ c : B = ones();
	param l : f32[200] @ d : B = ones();
	fn long(z) { var u = z; for i in 0..250 { u = u * 0.5 + z; } return u; }
	main { for i in 0..9 { k = long(k); l = long(k to @d); } }
EOF
turns 2 2 0
took "one rank after the other" 500.5 504
turns 2 1 0
took "one rank after the other on one processor" 500.5 504
# Who sends 4 kB goes on when they have left, and the receiver after that: three turns. A message of more than 8 kB is sent when the receiver, in its
# turn, has taken it, which goes on at once: two turns.
for bytes in 4000 40000; do
	cat >"$work/simulated.pml" <<-EOF
		place c = ranks(0..1);
		place d = ranks(1..2);
		param k : f32[$((bytes / 4))] @ c : B = ones();
		param l : f32[$((bytes / 4))] @ d : B = ones();
		main { for i in 0..9 { l = (k to @d) * 0.5; k = k * 0.5; } }
	EOF
	for turn in 0 10000; do
		turns 2 1 $turn
		expect "$bytes bytes to who has no processor" 0 "$PMLC" simulate --json --machine="$work/turns.json" "$work/simulated.pml"
		sed -n 's/.*"ns": \([0-9]*\).*/\1/p' "$work/out" >"$work/took.$bytes.$turn"
	done
done
more() { echo $(($(cat "$work/took.$1.10000") - $(cat "$work/took.$1.0"))); }
if [ "$(more 4000)" -eq 30000000 ] && [ "$(more 40000)" -eq 20000000 ]; then ok; else
	bad "turns of 10 ms: $(more 4000) ns more with 4 kB, $(more 40000) ns more with 40 kB"
fi
mv "$work/two.pml" "$work/simulated.pml"

# A timeline is JSON with all ranks, and the same each time.
expect "a timeline" 0 "$PMLC" simulate --machine="$work/computing.json" "$work/simulated.pml" --trace="$work/t.json" --slow=1:3
cp "$work/t.json" "$work/first.json"
expect "a timeline again" 0 "$PMLC" simulate --machine="$work/computing.json" "$work/simulated.pml" --trace="$work/t.json" --slow=1:3
if cmp -s "$work/first.json" "$work/t.json"; then ok; else bad "two timelines differ"; fi
cp "$work/t.json" "$work/out"
has out '"name":"rank 1"' '^\{"ph":"X","pid":1,"tid":0,"ts":[0-9.]+,"dur":[0-9.]+,"name":"kernel ' '"name":"wait: all-reduce [^"]+","args":\{"at":"[^"]*simulated.pml:6","for rank":1\}\}' '^\]\}$'
lacks out nan inf
if command -v python3 >/dev/null; then
	if python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/t.json" 2>/dev/null; then ok; else bad "the timeline is no JSON"; fi
	# No span of a rank begins before the one before it ends, by a nanosecond either: viewers would nest it.
	if python3 - "$work/t.json" <<-'EOF'
		import json, sys
		end = {}
		for e in json.load(open(sys.argv[1]))["traceEvents"]:
		    if e["ph"] != "X": continue
		    begin, took = round(e["ts"] * 1000), round(e["dur"] * 1000)
		    if begin < end.get(e["pid"], 0) or took < 0: sys.exit(1)
		    end[e["pid"]] = begin + took
	EOF
	then ok; else bad "spans of the timeline overlap"; fi
fi

# 1,024 ranks of four racks.
printf 'place all = ranks(0..1024) as (a = 64, b = 16);\nparam p : f32[4096, 64] @ all : (a=S(0), b=S(1)) = ones();\nmain { for i in 0..9 { print(sum(exp(p)) to B); } }\n' >"$work/large.pml"
expect "1,024 ranks" 0 timeout 60 "$PMLC" simulate --machine="$here/../../examples/machines/cluster.json" "$work/large.pml"
has out '^large: 1024 ranks on ' '^  200 Gbit between racks '

# Wrong use.
expect "simulate without a machine" 2 "$PMLC" simulate "$work/simulated.pml"
has err '^pmlc: `pmlc simulate` needs a machine: --machine=FILE.json'
for slow in 2:3 -1:2 1 1: 1:x 1:0 1:nan x:2; do
	expect "--slow=$slow" 2 "$PMLC" simulate --machine="$work/near.json" "$work/simulated.pml" --slow="$slow"
	has err "^pmlc: --slow=$slow: expected RANK:FACTOR with a rank below 2"
done
for factor in 0 -1 x nan net: net:0; do
	expect "--bandwidth=$factor" 2 "$PMLC" simulate --machine="$work/near.json" "$work/simulated.pml" --bandwidth="$factor"
	has err "^pmlc: --bandwidth=$factor: expected a factor"
done
expect "a network that is not there" 2 "$PMLC" simulate --machine="$work/near.json" "$work/simulated.pml" --bandwidth=ring:2
has err '^pmlc: --bandwidth=ring:2: the machine has no network `ring`; links within hosts are `host`$'
expect "a timeline over the source" 2 "$PMLC" simulate --machine="$work/near.json" "$work/simulated.pml" --trace="$work/simulated.pml"
has err 'this file is a source of the program'
expect "simulate a program with errors" 1 "$PMLC" simulate --machine="$work/near.json" "$work/is-not-there.pml"
expect "--slow is for simulate" 2 "$PMLC" plan --slow=1:2 "$work/simulated.pml"
has err '^pmlc: --slow is an option of `pmlc simulate`$'

# What ranks did, for another simulator: each message at both ends, waits for what was begun only.
expect "a replay" 0 "$PMLC" simulate --machine="$work/far.json" "$work/simulated.pml" --replay="$work/replay"
has out "^$work/replay/1: [0-9.]+ s, 1 a step\$"
for end in 'isend 1:irecv 0' 'wait 0 1:wait 0 1'; do
	out=$(grep -c "^0 ${end%:*} " "$work/replay/1.trace") in=$(grep -c "^1 ${end#*:} " "$work/replay/1.trace")
	if [ "$out" -gt 0 ] && [ "$out" = "$in" ]; then ok; else bad "a replay: $out of \`${end%:*}\`, $in of \`${end#*:}\`"; fi
done
if [ "$(grep -c '<route ' "$work/replay/platform.xml")" = 2 ] && [ "$(cat "$work/replay/hosts")" = "rank0
rank1" ]; then ok; else bad "the platform of a replay"; fi
expect "a replay where a file is" 1 "$PMLC" simulate --machine="$work/far.json" "$work/simulated.pml" --replay="$work/simulated.pml"
has err 'Not a directory'
