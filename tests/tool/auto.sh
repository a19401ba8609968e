# auto.sh — programs whose only placement is `auto(ranks(...))`: searched as a program without placements is, that many ranks said.
. "$here/found.sh"
links slow 4 1 1 0.05 50
cat >"$work/wide.pml" <<-'EOF'
	param w1 : f32[256, 1024] = normal(std = 0.05);
	param w2 : f32[1024, 256] = normal(std = 0.05);
	state x : f32[4096, 256] = normal(std = 1.0);
	fn f(x) { return mean(tanh(x @ w1) @ w2); }
	main { for i in 0..20 { let g = grad(f)(x); w1 -= 0.1 * g.w1; w2 -= 0.1 * g.w2; } }
EOF
expect "a plain program" 0 "$PMLC" search --machine="$work/slow.json" -n 4 "$work/wide.pml" -o "$work/plain.pml"
head -1 "$work/out" >"$work/plain.line"
sed '1i const N : int = 4;\nplace all = auto(ranks(0..N)); // how' "$work/wide.pml" >"$work/auto.pml"
expect "the same on auto(...)" 0 "$PMLC" search --machine="$work/slow.json" "$work/auto.pml" -o "$work/found.pml"
if head -1 "$work/out" | cmp -s - "$work/plain.line"; then ok; else bad "$name: not as a plain program: $(head -1 "$work/out"), not $(cat "$work/plain.line")"; fi
if sed '1d; s/^place all = ranks(0\.\.N)\(.*\); \/\/ how$/place grid = ranks(0..4)\1;\n/; s/@ all/@ grid/g; s/to @all/to @grid/g' "$work/found.pml" | diff - "$work/plain.pml" >"$work/log"; then ok; else bad "$name: other text: $(cat "$work/log")"; fi

# What is said of layouts there is kept: one is whole, one is open, the rest says nothing; the program is compiled as it is.
sed '1i place all = auto(ranks(0..4));
	s/f32\[256, 1024\]/& @ all : B/; s/f32\[1024, 256\]/& @ all : auto/; s/tanh(x @ w1)/(& to auto)/' "$work/wide.pml" >"$work/some.pml"
expect "some said" 0 "$PMLC" search --machine="$work/slow.json" "$work/some.pml" -o "$work/found.pml" --explain=w2
has out '^  w2 at .*some.pml:3:35: ' '^  [a-z]+ at .*some.pml:5:40: ' '^w2 at .*; by the cost model the best plan takes with$'
lacks out '^  w1 at '
if "$PMLC" check "$work/found.pml" >"$work/log" 2>&1 && ! grep -q auto "$work/found.pml" && grep -q '^param w1 : f32\[256, 1024\] @ all : B = ' "$work/found.pml"; then ok; else bad "$name: $(cat "$work/log" "$work/found.pml")"; fi
expect "compiled" 0 "$PMLC" --machine="$work/slow.json" "$work/some.pml" -o "$work/some"
has err '^pmlc: a step takes '
[ -x "$work/some" ] && ok || bad "$name: no program"

# Stages, of layers that say nothing of where they are, of layers that take a placement, and of such as name this one.
cat >"$work/deep.pml" <<-'EOF'
	import std.loss;
	import std.optim;
	place all = auto(ranks(0..2)); // stages
	struct Layer { up : f32[512, 512] = normal(std = 0.05), down : f32[512, 512] = normal(std = 0.05) }
	param layers : [4] Layer;
	param head : f32[512, 10] = normal(std = 0.05);
	fn layer(x, w: Layer) { return x + tanh(x @ w.up) @ w.down; }
	fn model[n](x: f32[n, 512], t: i32[n]) {
	    var h = x;
	    for i in 0..4 { h = layer(h, layers[i]); }
	    return loss.cross_entropy(h @ head, t);
	}
	main {
	    for step in 0..3 {
	        let x = normal(rng(step), [64, 512]);
	        let t = randint(rng(step, 1), [64], 0, 10);
	        let (l, g) = value_and_grad(model)(x, t);
	        optim.sgd(g, lr = 0.01);
	        print(floor(l * 1000.0 + 0.5));
	    }
	}
EOF
sed '3d' "$work/deep.pml" >"$work/plain.pml"
"$PMLC" run "$TEST_LEVEL" "$work/plain.pml" >"$work/plain.out" 2>/dev/null </dev/null
sed 's/struct Layer/&[p: place]/; s/512, 512\] =/512, 512] @ p : auto =/g; s/fn layer(x, w: Layer)/fn layer[p: place](x, w: Layer[p])/
	s/\[4\] Layer/&[all]/; s/512, 10\]/& @ all : auto/' "$work/deep.pml" >"$work/said.pml"
sed 's/512, 512\] =/512, 512] @ all : auto =/g' "$work/deep.pml" >"$work/global.pml"
for file in deep said global; do
	what="stages: $file"
	expect "$what" 0 "$PMLC" search --tries=1 --machine="$work/slow.json" "$work/$file.pml" -o "$work/found.pml"
	has out '^a step takes .*, on 2 ranks, 2 stages'
	wrote '^place all = ranks\(0\.\.2\) as \(pp = 2\); // stages$' '^param layers : \[i in 0\.\.4\] Layer\[all\[pp = stage\(i\)\]\];$' '^param head : f32\[512, 10\] @ all\[pp = 1\] : B = '
	expect "stages: run $file" 0 "$PMLC" run "$TEST_LEVEL" "$work/found.pml"
	if [ -s "$work/plain.out" ] && cmp -s "$work/plain.out" "$work/out"; then ok; else bad "$name: other values: $(cat "$work/plain.out") and $(cat "$work/out")"; fi
done

# Wrong use.
# wrong WHAT STATUS MESSAGE SED OPTIONS...
wrong() {
	sed "$4" "$work/auto.pml" >"$work/wrong.pml"
	what=$1 status=$2 message=$3
	shift 4
	expect "$what" "$status" "$PMLC" search --machine="$work/slow.json" "$work/wrong.pml" "$@"
	has err "$message"
	lacks out .
}
wrong "two placements" 1 'error\[PML0213\]: `all` is not the only placement' '2a place h = ranks(0..1);'
wrong "ranks in another order" 1 'error\[PML0215\]: the ranks of `auto\(\.\.\.\)` are those of the program, `0\.\.2`' 's/ranks(0..N)/ranks([1, 0])/'
wrong "one rank" 1 '^pmlc: on one rank there is nothing to choose$' 's/0\.\.N/0..1/'
wrong "too many ranks" 1 '^pmlc: .*slow.json: the machine has 4 ranks, and the program 5$' 's/0\.\.N/0..5/'
wrong "another number of ranks" 2 '^pmlc: -n 2: the placements of .* have 4 ranks$' '' -n 2
wrong "no placement of the program" 1 'error\[PML0106\]: the value of -D all cannot be read' '' -D 'all=auto(ranks(0..2))'
wrong "an axis" 1 'which axes it has is open: write `: auto` or `: B`' 's/256, 1024\]/& @ all : (dp=auto)/'
wrong "a part" 1 'error\[PML0213\]: which parts `all` has is open$' 's/256, 1024\]/& @ all[0]/'
wrong "axes behind it" 1 '^help: which axes there are is open as well' 's/ranks(0..N))/& as (a = 2, b = 2)/'
links far 4 1 0.001 0.0001 5000
sed 's/4096, 256/8, 256/; s/mean(\(.*\));/mean(exp(\1));/' "$work/auto.pml" >"$work/few.pml"
expect "slower than one rank" 3 "$PMLC" search --machine="$work/far.json" "$work/few.pml"
has err '^pmlc: no plan is faster than one rank, on which a step takes '
expect "slower than one rank, compiled" 3 "$PMLC" --machine="$work/far.json" "$work/few.pml" -o "$work/none"
has err '^pmlc: no plan is faster than one rank, on which a step takes '
expect "no machine" 1 "$PMLC" check --diagnostics=short "$work/auto.pml"
has err 'auto.pml:2:13: error\[PML0901\]: `auto\(\.\.\.\)` is no placement yet$'
