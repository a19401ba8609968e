# ways.sh — `microbatch(auto)`, `schedule = auto` and `remat(auto)`, beside placements of the program's own: all combinations are tried, the best is written, and
# a step stays the same step.
. "$here/found.sh"
links slow 4 1 1 0.2 20
cat >"$work/pipe.pml" <<-'EOF'
	import std.optim;
	place grid = ranks(0..2) as (pp = 2);
	param layers : [i in 0..4] f32[128, 128] @ grid[pp = floor_div(i, 2)] = normal(std = 0.1);
	fn model(x, t) -> f32 @ grid[pp = 1] {
	    var h = x;
	    for i in 0..4 { h = h to @grid[pp = floor_div(i, 2)]; h = remat(auto) { tanh(tanh(h @ layers[i]) * 2.0) }; }
	    return mean((h - t) * (h - t));
	}
	main {
	    let x = uniform(rng(1), [96, 128]);
	    let t = x * 0.5;
	    for step in 0..4 {
	        let (l, g) = microbatch(auto, schedule = auto) { value_and_grad(model)(x to @grid[pp = 0], t to @grid[pp = 1]) };
	        optim.sgd(g, lr = 0.1);
	        every 2 { print(floor(l * 100000.0 + 0.5)); }
	    }
	}
EOF
# with NUMBER SCHEDULE AGAIN: the program as somebody writes it.
with() { sed "s/microbatch(auto, schedule = auto)/microbatch($1, schedule = \"$2\")/; s/remat(auto)/remat($3)/" "$work/pipe.pml" >"$work/with.pml"; }
# step_of FILE: what a step takes; us TIME: in microseconds.
step_of() { "$PMLC" simulate --machine="$work/slow.json" "$1" 2>/dev/null | sed -n 's/^  a step takes //p'; }
us() { echo "$1" | awk '{ print $1 * ($2 == "us" ? 1 : $2 == "ms" ? 1000 : $2 == "s" ? 1000000 : 0.001) }'; }

expect "a pipeline" 0 "$PMLC" search --machine="$work/slow.json" "$work/pipe.pml" -o "$work/found.pml" --explain=microbatch
has out '^a step takes .*, on 2 ranks, [0-9]+ micro-batches \([a-z0-9]+\), with$' '^  microbatch at .*pipe.pml:13:33: [0-9]+$' '^  schedule at .*pipe.pml:13:50: "[a-z0-9]+"$' '^  remat at .*pipe.pml:6:69: false$' \
	'^microbatch at .*pipe.pml:13:33 is [0-9]+; the best plan that was played takes with$' '^  1   .* \+[0-9.]+ %$' '^  48  '
lacks out '^  64 ' '^  5 '
wrote 'remat\(false\) \{ tanh' 'microbatch\([0-9]+, schedule = "[a-z0-9]+"\) \{ value_and_grad'
best=$(sed -n 's/^a step takes \([^ ]* [^ ,]*\) on .*/\1/p' "$work/out")
is "what plan says of it" "$best" "$(step_of "$work/found.pml")"
for m in 1 ${TEST_LONG:+2 3 4 6} 8 12 ${TEST_LONG:+16 24 32 48}; do
	for s in 1f1b gpipe zb; do
		with "$m" $s false
		if awk -v a="$(us "$best")" -v b="$(us "$(step_of "$work/with.pml")")" 'BEGIN { exit !(a > 0 && a <= b * 1.002) }'; then ok; else bad "$m micro-batches ($s) take $(step_of "$work/with.pml"), less than what was found, $best"; fi
	done
done
with 1 1f1b false
expect "one micro-batch runs" 0 "$PMLC" run "$TEST_LEVEL" "$work/with.pml"
cp "$work/out" "$work/one.out"
expect "what was found runs" 0 "$PMLC" run "$TEST_LEVEL" "$work/found.pml"
if [ -s "$work/one.out" ] && cmp -s "$work/one.out" "$work/out"; then ok; else bad "$name: other values: $(cat "$work/one.out") and $(cat "$work/out")"; fi
expect "compiled as it is" 0 "$PMLC" --machine="$work/slow.json" "$work/pipe.pml" -o "$work/quiet"
has err "^pmlc: a step takes $best on "

# Memory that binds: computed again, if that is faster than what fits without.
cat >"$work/deep.pml" <<-'EOF'
	place grid = ranks(0..2) as (dp = 2);
	param a : f32[64, 64] @ grid = normal(std = 0.1);
	param b : f32[64, 64] @ grid = normal(std = 0.1);
	fn f(x) {
	    let h = remat(auto) { tanh(sin(exp(tanh(x @ a)))) };
	    let k = remat(auto) { tanh(sin(h @ b)) };
	    return mean(k * k) to B;
	}
	main {
	    let x = uniform(rng(1), [2048, 64]) to @grid : S(0);
	    for step in 0..3 { let (l, g) = value_and_grad(f)(x); a -= 0.1 * g.a; b -= 0.1 * g.b; print(floor(l * 100000.0 + 0.5)); }
	}
EOF
expect "no limit" 0 "$PMLC" search --machine="$work/slow.json" "$work/deep.pml" --explain=remat
has out '^  remat at .*deep.pml:5:19: false$' '^  remat at .*deep.pml:6:19: false$' '^  true  *not tried: what is faster fits as it is$'
kb=$(sed -n 's/^a step takes .*, a rank \([0-9.]*\) MB.*/\1/p' "$work/out" | awk '{ print int($1 * 1000) }')
expect "a limit" 0 "$PMLC" search --machine="$work/slow.json" "$work/deep.pml" --memory=$((kb - 50))kB -o "$work/found.pml" --explain=remat
has out ' of 2 blocks? computed again, with$' '^  false .*too much memory$|^  true .* \+0\.0 %$' '^--memory binds: '
wrote 'remat \{ |remat\(false\)'
expect "it keeps to the limit" 0 "$PMLC" plan "$work/found.pml" --machine="$work/slow.json"
expect "no limit is low enough" 3 "$PMLC" search --machine="$work/slow.json" "$work/deep.pml" --memory=10kB
has err '^pmlc: no choice fits into 10000 bytes: the least that was found takes [0-9]+$'

# What is no mean, and what cannot be cut, is one micro-batch, and why is said.
# alone WHAT WHY SED
alone() {
	sed "$3" "$work/pipe.pml" >"$work/alone.pml"
	expect "$1" 0 "$PMLC" search --tries=1 --machine="$work/slow.json" "$work/alone.pml" -o "$work/found.pml"
	has err "^pmlc: microbatch at .*alone.pml:1[34]:33: a step in more micro-batches is not known to be the same step: $2; a number that is written is taken as it is\$"
	has out '^  microbatch at .*: 1$'
	wrote 'microbatch\(1, schedule = "1f1b"[,)]'
}
alone "a sum" 'the loss is no mean over rows|it computes something else of a part of the rows' 's/return mean(/return sum(/'
alone "numbers for every row" 'numbers are drawn.*|it computes something else of a part of the rows' 's/var h = x;/var h = x + uniform(rng(2), [96, 128]) to @grid[pp = 0];/; s/96, 128\]) to/x.shape[0], 128]) to/'
alone "a prime number of rows" 'no number up to 64 divides its 97 rows' 's/\[96, 128\]/[97, 128]/'
alone "all rows stay" 'nothing in it is cut' 's/schedule = auto)/schedule = auto, whole = (x, t))/'
alone "a state" 'each micro-batch updates states in it' '2a state seen : f32[128] @ grid[pp = 0] = zeros();
	s/ { value_and_grad/ { seen = mean(x to @grid[pp = 0], dim = 0); value_and_grad/'

# Nothing calls it; other files; a mesh and layouts that are open as well; one rank.
sed '4i fn nobody(x) { return microbatch(auto, schedule = auto) { mean(remat(auto) { x }) }; }' "$work/pipe.pml" >"$work/unread.pml"
expect "nobody calls it" 0 "$PMLC" search --tries=1 --machine="$work/slow.json" "$work/unread.pml" -o "$work/found.pml"
has err '^pmlc: microbatch at .*unread.pml:4:34: nothing that `main` does comes by this `auto`, which becomes `1`$' 'becomes `"1f1b"`$' 'becomes `false`$'
wrote '^fn nobody\(x\) \{ return microbatch\(1, schedule = "1f1b"\) \{ mean\(remat\(false\) \{ x \}\) \}; \}$'
mkdir -p "$work/ways" "$work/ways.found"
sed -n '2,3p' "$work/pipe.pml" >"$work/ways/net.pml"
sed -n '/^fn/,/^}/p' "$work/pipe.pml" >>"$work/ways/net.pml"
sed '2,8d; 1a import net;' "$work/pipe.pml" | sed 's/(model)/(net.model)/; s/@grid/@net.grid/g' >"$work/ways/train.pml"
expect "in another file" 0 "$PMLC" search --tries=1 --machine="$work/slow.json" "$work/ways/train.pml" -o "$work/ways.found/"
if grep -q 'remat(false) { tanh' "$work/ways.found/net.pml" && "$PMLC" check "$work/ways.found/train.pml" >"$work/log" 2>&1; then ok; else bad "$name: $(cat "$work/log")"; fi
expect "in another file that is not written" 1 "$PMLC" search --machine="$work/slow.json" "$work/ways/train.pml" -o "$work/found.pml"
has err 'error\[PML0901\]: `auto` is no answer to whether the block is computed again yet' 'note: a search writes into the program'
cat >"$work/open.pml" <<-'EOF'
	place grid = ranks(0..4) as auto;
	param w : f32[64, 256] @ grid : auto = normal(std = 0.1);
	param v : f32[256, 64] @ grid : auto = normal(std = 0.1);
	fn f(x) { let h = tanh(x @ w to auto); return mean(h @ v) to B; }
	main {
	    let x = uniform(rng(1), [4096, 64]);
	    for step in 0..3 { let g = microbatch(auto, schedule = auto) { grad(f)(x to @grid : auto) }; w -= 0.1 * g.w; v -= 0.1 * g.v; }
	}
EOF
expect "mesh and layouts" 0 "$PMLC" search --tries=1 --machine="$work/slow.json" "$work/open.pml" -o "$work/found.pml"
has out '^a step takes .*, on 4 ranks, .*[0-9]+ micro-batch(es)? \(1f1b\), with$' 'within 0\.0 % of the best there is'
expect "mesh and layouts, checked" 0 "$PMLC" check "$work/found.pml"
lacks err .
sed 's/^place.*//; s/ @ grid : auto//; s/ to auto//; s/ to @grid : auto//; s/ to B//' "$work/open.pml" >"$work/single.pml"
expect "one rank" 0 "$PMLC" search --tries=1 --machine="$work/slow.json" -n 1 "$work/single.pml" -o "$work/found.pml"
has out '^a step takes .*, on 1 rank, [0-9]+ micro-batch(es)? \(1f1b\), with$'
expect "without placements" 0 "$PMLC" search --tries=1 --machine="$work/slow.json" -n 4 "$work/single.pml" -o "$work/found.pml"
has out '^a step takes .*, on 4 ranks.*, [0-9]+ micro-batch(es)? \(1f1b\), with$'

# Wrong use.
sed 's/, schedule = auto) {/, schedule = auto, hold = 2) {/' "$work/pipe.pml" >"$work/hold.pml"
expect "hold" 0 "$PMLC" search --tries=1 --machine="$work/slow.json" "$work/hold.pml" -o "$work/found.pml"
wrote 'microbatch\([0-9]+, schedule = "zb", hold = 2\)'
sed '13{s/(l, g)/(l1, g1)/p;s/(l1, g1)/(l2, g2)/p;s/(l2, g2)/(l, g)/}' "$work/pipe.pml" >"$work/many.pml"
expect "too many combinations" 1 "$PMLC" search --machine="$work/slow.json" "$work/many.pml"
has err '^pmlc: .*many.pml: of the numbers of micro-batches and schedules that are `auto` there are [0-9]+ combinations, and each is compiled and played: at most 500 are; write some of them$'
