# plan.sh — what `pmlc plan` says of train.pml. Bytes are those of closed forms: an all-reduce of b bytes over n ranks sends
# 2 (n - 1) / n b from every rank.
cp "$here/train.pml" "$work/train.pml"

expect "plan as text" 0 "$PMLC" plan "$work/train.pml"
has out '^region main:22, each step: 4 transfers' '^region main:25, each step, every 50: 1 transfer' \
	'^region init:11, at start: no transfers' '^region main:27, a turn of another loop: 1 transfer' \
	'^ +forward +all-reduce +tp +y +f32\[16, 8\] .* 256 B +256 B +1.0 kB .*train.pml:15$' \
	'^ +backward +all-reduce, bucket 3 +dp +dw +f32\[32, 64\] .* 4.1 kB +4.1 kB +16 kB .*train.pml:15$' \
	'^ +step +backward +2 +5.1 kB +5.1 kB +20 kB$' '^ +step +all-reduce +4 ' '^ +step +total +5 '
cp "$work/out" "$work/first"
expect "plan again" 0 "$PMLC" plan "$work/train.pml"
if cmp -s "$work/first" "$work/out"; then ok; else bad "two plans of one program differ"; fi

# The JSON holds the same figures: sums over its rows are its totals.
expect "plan as JSON" 0 "$PMLC" plan --json "$work/train.pml"
cp "$work/out" "$work/train.json"
has out '"id": 0, "phase": "forward".*"axes": "tp".*"bytes_per_rank": 256, "received_per_rank": 256, "bytes": 1024'
awk '/^    {"name": "main/ { when[n0 + n++] = $0 } /^    {"name": "init/ { when[n++] = $0 }
	/^ *{"id":/ { match($0, /"region": [0-9]+/); r = substr($0, RSTART + 10, RLENGTH - 10)
		match($0, /"bytes": [0-9]+/); if (when[r + 0] ~ /"when": "step"/) sum += substr($0, RSTART + 9, RLENGTH - 9) }
	/^    "step":/ { match($0, /"all": {[^}]*}/); all = substr($0, RSTART, RLENGTH); match(all, /"bytes": [0-9]+/)
		total = substr(all, RSTART + 9, RLENGTH - 9) }
	END { exit !(sum > 0 && sum == total) }' "$work/train.json" && ok || bad "the total of a step is not the sum of its rows"

# Budgets: what was stored fits; a smaller step fits; a larger one fails, names the line and by how much.
expect "write a budget" 0 "$PMLC" plan --write-budget="$work/budget" "$work/train.pml"
cp "$work/budget" "$work/budget.1"
expect "within the budget" 0 "$PMLC" plan --budget="$work/budget" "$work/train.pml"
expect "write it again" 0 "$PMLC" plan --write-budget="$work/budget" "$work/train.pml"
if cmp -s "$work/budget" "$work/budget.1"; then ok; else bad "the same program gives another budget"; fi
sed 's/^main {/\n\n&/' "$work/train.pml" >"$work/moved.pml"
expect "less than the budget" 0 "$PMLC" plan -D WIDTH=32 --budget="$work/budget" "$work/train.pml"
expect "more than the budget" 1 "$PMLC" plan -D WIDTH=128 --budget="$work/budget" "$work/train.pml"
has err 'each step sends more than its budget' '5\.1 kB more than' \
	'train.pml:15: all-reduce of `dw`, f32\[32, 128\] \(backward\): 8\.2 kB sent per rank, 33 kB in all, in the budget f32\[32, 64\]'
lacks err 'all-reduce of `y`'
sed 's/(tp=S(1)) = normal/(tp=S(1)) = ones() + normal/; s/relu(x @ w) @ v/softmax(x @ w to (dp=S(0))) @ v/' \
	"$work/train.pml" >"$work/more.pml"
expect "a new transfer" 1 "$PMLC" plan --budget="$work/budget" "$work/more.pml"
has err 'more.pml:15: all-gather .* not in the budget'
echo "something else" >"$work/odd"
expect "not a budget" 1 "$PMLC" plan --budget="$work/odd" "$work/train.pml"
has err 'odd: not a budget'
sed 's/ | [0-9]*$/ | x/' "$work/budget" >"$work/odd"
expect "a malformed budget" 1 "$PMLC" plan --budget="$work/odd" "$work/train.pml"
has err 'odd: line 3 is malformed'
expect "a missing budget" 1 "$PMLC" plan --budget="$work/none" "$work/train.pml"

# Comparison of programs, of stored plans, and of one of each.
expect "no difference" 0 "$PMLC" plan --diff "$work/train.json" "$work/train.pml"
has out '^no difference$'
expect "difference" 0 "$PMLC" plan --diff "$work/train.json" "$work/more.pml"
has out '^ +\+ +step +forward +all-gather +x@w +f32' '^step, forward: sent by one rank +268 B +-> ' '^step, total: sent in all '
expect "reversed" 0 "$PMLC" plan --diff "$work/more.pml" "$work/train.pml"
has out '^ +- +step +forward +all-gather'
sed 's/(dp=S(0))) to B;/(dp=S(0))) to B; \/\/ as before/; s/ 16)/ 32)/' "$work/train.pml" >"$work/wide.pml"
expect "changed" 0 "$PMLC" plan --diff "$work/train.pml" "$work/wide.pml"
has out '^ +~ +step +forward +all-reduce +y +f32\[16, 8\] -> f32\[32, 8\].*256 B -> 512 B'
expect "one operand" 2 "$PMLC" plan --diff "$work/train.pml"
expect "no JSON" 1 "$PMLC" plan --diff "$work/budget" "$work/train.pml"
echo '{"program": "x", "regions": [], "transfers": [{"region": 7, "phase": "forward"}], "roles": []}' >"$work/odd.json"
expect "JSON that is no plan" 1 "$PMLC" plan --diff "$work/odd.json" "$work/train.pml"
has err 'not a plan'

# How often regions run: loops whose turns are known, branches that the running program decides, `while`.
cat >"$work/loops.pml" <<'END'
place all = ranks(0..2);
param w : f32[8] @ all = ones();
fn loss(x: f32[8] @ all : S(0)) -> f32 @ all { return sum(w * x) to B; }
main {
    var step = 0;
    while step < 10 {
        let x = uniform(rng(step), [8]) to @all : S(0);
        let (l, g) = value_and_grad(loss)(x);
        w = w - 0.1 * g.w;
        for k in 0..3 { print(sum(x) to B); }
        if l > 3.0 { print(sum(w to S(0)) to B); }
        step += 1;
    }
    print(sum(w to S(0)) to B);
}
END
expect "loops" 0 "$PMLC" plan "$work/loops.pml"
has out '^region main:7, each step: ' '^region main:10, each step, 3 times: 1 transfer' \
	'^region main:11, some steps, as the running program decides: 1 transfer' '^region main:14, once in a run: 1 transfer' \
	'^ +step +all-reduce +4 +16 B +16 B +32 B' '^ +sometimes +total +1 ' '^ +once +total +1 '
echo 'fn f(x) { return x; }' >"$work/library.pml"
expect "a file without main" 0 "$PMLC" plan "$work/library.pml"

# Loops that stay loops: a transfer counts as often as it is made, in sums, budgets and on the way through JSON.
cat >"$work/loop.pml" <<'END'
const T : int = 5;
place p = ranks(0..2);
param w : f32[8, 8] @ p : S(1) = ones();
config n : int = 3;
fn known(x: f32[4, 8] @ p) { var h = x; for t in 0..T { h = tanh(h @ w to B); } return sum(h); }
fn counted(x: f32[4, 8] @ p) { var h = x; for t in 0..n { h = tanh(h @ w to B); } return sum(h); }
main { let (l, g) = value_and_grad(known)(ones([4, 8]) to @p); print(l, sum(g.w) to B); }
END
sed 's/(known)/(counted)/' "$work/loop.pml" >"$work/counted.pml"
for loops in kept unrolled; do
	expect "plan of a loop" 0 "$PMLC" plan --loops=$loops "$work/loop.pml"
	sed -n 's/^ *step  *forward *//p' "$work/out" >"$work/forward.$loops"
done
if cmp -s "$work/forward.kept" "$work/forward.unrolled"; then ok; else bad "a step sends other bytes in a loop than turn by turn"; fi
expect "plan of a loop" 0 "$PMLC" plan --loops=kept "$work/loop.pml"
has out 'all-gather, 5 turns' 'loop at .*loop.pml:5: 5 turns of [0-9]+ steps'
expect "loop as JSON" 0 "$PMLC" plan --json --loops=kept "$work/loop.pml"
cp "$work/out" "$work/loop.json"
expect "loop read back" 0 "$PMLC" plan --diff --loops=kept "$work/loop.json" "$work/loop.pml"
expect "more turns than fit" 0 "$PMLC" check -D T=1000000000000 "$work/loop.pml"
expect "more turns than fit, turn by turn" 1 "$PMLC" check --loops=unrolled -D T=1000000000000 "$work/loop.pml"
has err 'PML0511.*: turn by turn this loop is too large: [0-9]+ operations' '^help: without `--loops=unrolled` it stays a loop$'

# Loops that are none in the produced program: what differs between their turns, and on which line.
cat >"$work/unrolled.pml" <<'END'
place two = ranks(0..2);
struct Wide { w : f32[8, 8] @ two = normal() }
struct Deep { w : f32[8, 8] @ two = normal(), v : f32[8, 8] @ two = normal() }
param a : Wide; param b : Wide; param c : Deep;
fn f(x) {
    var y = x;
    for net in [a, b, c] { y = y @ net.w; }
    for w in [zeros([8]), zeros([6])] { y = y + sum(w); }
    var k = 0;
    for i in 0..3 { k = k + [2, 3, 5][i]; y = y * k; }
    for i in 0..3 { if i == 2 { break; } y = y + 1.0; }
    for i in 0..3 {
        y = y + ones([i + 1, 8])[0]; }
    for i in 0..5 { y = y * 2.0; }
    return sum(y) to B;
}
fn g(x) { var y = x to S(0); for i in 0..3 { y = transpose(y); } return sum(y) to B; }
fn h(x) { let z = x to S(0); var y = sum(z) to B; for i in 0..8 { y = y + (sum(z[i]) to B); } return y; }
main { let x = uniform(rng(1), [8, 8]) to @two; print(f(x), g(x), h(x)); }
END
expect "plan of unrolled loops" 0 "$PMLC" plan "$work/unrolled.pml"
has out 'unrolled.pml:7, 3 turns: turn 0 takes a `Wide`, turn 2 a `Deep`' 'unrolled.pml:8, 2 turns: turn 0 takes f32\[8\], turn 1 f32\[6\]' \
	'unrolled.pml:10, 3 turns: turns hand on the number `k`' 'unrolled.pml:11, 3 turns: in which turn it is left' \
	'unrolled.pml:12, 3 turns: a size is 1 in turn 0, 2 in turn 1 \(.*unrolled.pml:13\)' 'loop at .*unrolled.pml:14: 5 turns of 1 step' \
	'unrolled.pml:17, 3 turns: `y` is `S\(0\)` before a turn and `S\(1\)` after it' 'unrolled.pml:18, 8 turns: lines are split among ranks'
expect "unrolled loops as JSON" 0 "$PMLC" plan --json "$work/unrolled.pml"
cp "$work/out" "$work/unrolled.json"
has out '"why": "turn 0 takes a `Wide`, turn 2 a `Deep`"'
expect "unrolled loops read back" 0 "$PMLC" plan --diff "$work/unrolled.json" "$work/unrolled.pml"
expect "loop counted" 0 "$PMLC" plan --loops=kept "$work/counted.pml"
has out 'all-gather, several turns' 'several turns of [0-9]+ steps, each turn adds [0-9.]+ k?B'

# A step on a large table by plain SGD, which is one map, is written to the rows of the batch.
for case in embedding recommender; do
	expect "plan of $case" 0 "$PMLC" --emit=plan "$here/../bench/cases/$case.pml"
	[ "$(grep -c 'kernel [0-9]* rows(inout' "$work/out")" -eq 1 ] && ok || bad "$name: the update is not written to rows alone"
done

# Types whose products are no faster than those of f32 are told, where there are any.
cat >"$work/narrow.pml" <<'END'
place p = ranks(0..1);
param a : bf16[32, 32] @ p = ones();
param b : f16[32, 32] @ p = ones();
main { print(sum((a @ a) as f32), sum((b @ b) as f32)); }
END
expect "narrow types" 0 "$PMLC" plan --target-cpu=x86-64-v3 "$work/narrow.pml"
has out '^products of bf16 are widened to f32' '^products of f16 are widened to f32'
if grep -qw amx_bf16 /proc/cpuinfo && grep -q 'define HAVE_AMX' "$(dirname "$PMLC")/config.h" 2>/dev/null; then
	expect "narrow types on tiles" 0 "$PMLC" plan "$work/narrow.pml"
	has out '^products of f16 are widened to f32'
	if grep -q 'bf16 are widened' "$work/out"; then bad "$name: products by tiles are told to be widened"; else ok; fi
fi
expect "narrow types in loops" 0 "$PMLC" plan --target-cpu=x86-64-v3 --reproducible "$work/narrow.pml"
if grep -q widened "$work/out"; then bad "$name: no product is widened there"; else ok; fi
expect "no narrow types" 0 "$PMLC" plan --target-cpu=x86-64-v3 "$work/loop.pml"
if grep -q widened "$work/out"; then bad "$name: f32 is told to be widened"; else ok; fi

# Counts that no number holds are the largest there is.
cat >"$work/often.pml" <<'PML'
place p = ranks(0..2);
param w : f32[4] @ p : S(0) = ones();
main {
    for step in 0..10 {
        w = w * 2.0;
        print(sum(w) to B);
        for k in -1..9223372036854775807 { for j in 0..3 { w = w + 1.0; print(sum(w) to B); } }
        every 4294967296 { every 4294967296 { w = w * 3.0; print(max(w) to B); } }
    }
}
PML
expect "plan of more turns than can be counted" 0 "$PMLC" plan "$work/often.pml"
has out '^region main:7, each step, 9223372036854775807 times: ' '^region main:8, each step, every 9223372036854775807: ' \
	'^ +step +total +9223372036854775807 '

# ---- names of values that have none ----
cat >"$work/unnamed.pml" <<-'END'
	import std.loss;
	place p = ranks(0..2);
	param w : f32[8, 4] @ p = ones();
	fn score[n](x: f32[n, 8] @ p : S(0), t: i32[n] @ p : S(0)) { return loss.cross_entropy(relu(x @ w) * relu(x @ w), t) to B; }
	main {
	    let x = ones([6, 8]) to @p : S(0);
	    print(sum(x, dim = 0) to B, mean(square(x to B to S(1))) to B, score(x, zeros([6], dtype = i32) to @p : S(0)));
	}
END
expect "unnamed" 0 "$PMLC" plan "$work/unnamed.pml"
has out ' sum\(x,dim=0\) +f32\[8\]' ' mean\(\.\.\.\) +f32 ' ' loss.cross_entropy\(\.\.\.\) +f32 '
