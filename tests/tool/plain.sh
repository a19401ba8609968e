# plain.sh — `pmlc search` of programs without a placement: what it writes, what it rediscovers, each on a machine of its own.
. "$here/found.sh"
# two_layers ROWS WIDTH HIDDEN: a program that learns two layers, on its standard output.
two_layers() {
	cat <<-EOF
		// Two layers.
		param w1 : f32[$2, $3] = normal(std = 0.05);
		param w2 : f32[$3, $2] = normal(std = 0.05);
		state x : f32[$1, $2] = normal(std = 1.0);
		fn f(x) {
		    let y = gelu_tanh(x @ w1) @ w2;
		    return sum(y * y);
		}
		main { for i in 0..20 { let g = grad(f)(x); w1 -= 0.1 * g.w1; w2 -= 0.1 * g.w2; } }
	EOF
}

cat >"$work/plain.pml" <<-'EOF'
	// A network of two layers.
	import std.loss;
	import std.optim;
	const ROWS : int = 512;
	const WIDTH : int = 64;

	// What is learnt.
	param w1 : f32[784, WIDTH] = normal(std = 0.05);   // the first layer
	param b1 : f32[WIDTH]      = zeros();
	param w2 : f32[WIDTH, 10]  = normal(std = 0.05);
	state x : f32[ROWS, 784] = normal(std = 1.0);
	state t : i32[ROWS] = zeros(dtype = i32);
	fn objective[n](x: f32[n, 784], t: i32[n]) {
	    let h = relu(x @ w1 + b1);
	    return loss.cross_entropy(h @ w2, t);
	}
	main { for i in 0..20 { optim.sgd(grad(objective)(x, t), lr = 0.01); } }
EOF
# Many rows and few params: the rows are shared out, and nothing moves but gradients.
links slow 4 1 1 0.05 50
found "data parallel on a slow link" slow 4 "$work/plain.pml" -D ROWS=65536
wrote '^place grid = ranks\(0\.\.4\)( as .*)?;$' '^param w1 : f32\[784, WIDTH\] @ grid.* = .*// the first layer$' '^// What is learnt\.$' \
	'^state x : f32\[ROWS, 784\] @ grid : (S\(0\)|\(outer=S\(0\), inner=S\(0\)\)) ' 'return .* to B;$'
# Without what was put in it is the source.
l='(B|S\([0-9]\)|\((outer|inner)=S\([0-9]\)(, inner=S\([0-9]\))?\))'
sed -E "s/ @ grid( : $l)?//; /^place grid/,+1d; s/\((x|w1|b1|w2|h) to $l\)/\1/g; s/ to $l//g" "$work/found.pml" >"$work/back.pml"
if cmp -s "$work/back.pml" "$work/plain.pml"; then ok; else bad "what was written has more than placements, layouts and moves: $(diff "$work/back.pml" "$work/plain.pml")"; fi
cp "$work/plain.pml" "$work/edited.pml"
expect "in place" 0 "$PMLC" search ${tries:+"$tries"} --machine="$work/slow.json" -n 4 -D ROWS=65536 --edit "$work/edited.pml"
if cmp -s "$work/edited.pml" "$work/found.pml"; then ok; else bad "--edit writes something else than -o"; fi

# What is kept from one region to the next and has no name: a loss that is printed with something else.
cat >"$work/kept.pml" <<-'EOF'
	import std.optim;
	struct L { w : f32[32, 32] = normal(std = 0.1) }
	param ws : [4] L;
	fn f(x) { var h = x; for i in 0..4 { h = h + tanh(h @ ws[i].w); } return mean(h ** 2); }
	main { for i in 0..4 { let (l, g) = value_and_grad(f)(normal(rng(i), [40, 32])); optim.sgd(g, lr = 0.1); print(l, sum(ws[0].w * ws[0].w)); } }
EOF
links free 1 2 50 50 0.01
expect "a kept value without a name" 0 "$PMLC" search --machine="$work/free.json" -n 2 "$work/kept.pml" -o "$work/found.pml" --explain=ws
has out '^a step takes ' '^ws\.0\.w at .*kept.pml:2:[0-9]+ is .*; by the cost model the best plan takes with$'

# Few rows and wide layers on a fast link: columns of the first product, rows of the second, one sum behind them.
links fast 1 4 20 20 0.5
two_layers 16 256 4096 >"$work/pair.pml"
if taken 3; then
	found "columns, then rows" fast 4 "$work/pair.pml"
	wrote 'w1 : .*S\(1\)' 'w2 : .*S\(0\)'
	# What the file begins with stays its title.
	if [ "$(sed -n 1p "$work/found.pml")" = "// Two layers." ] && sed -n 2p "$work/found.pml" | grep -q '^place grid = '; then ok; else bad "the title: $(head -n 3 "$work/found.pml")"; fi
fi

# A second plan where the first one takes too much memory: slower, and smaller.
cat >"$work/short.pml" <<-'EOF'
	import std.optim;
	param w1 : f32[2048, 2048] = normal(std = 0.05);
	param w2 : f32[2048, 2048] = normal(std = 0.05);
	state x : f32[256, 2048] = normal(std = 1.0);
	fn f(x) { return sum(tanh(tanh(x @ w1) @ w2)); }
	main { for i in 0..20 { optim.adamw(grad(f)(x), lr = 0.1); } }
EOF
found "memory enough" slow 4 "$work/short.pml"
most=$(takes)
found "memory short" slow 4 "$work/short.pml" --memory=36MB
if [ -n "$most" ] && awk -v m="$most" -v a="$(takes)" 'BEGIN { exit !(m > 36 && a > 0 && a <= 36) }'; then ok; else bad "memory short: a rank takes $(takes) MB, $most without a limit"; fi
wrote 'w1 : .* @ grid : .*S\(' 'w2 : .* @ grid : .*S\('
expect "memory for nothing" 3 "$PMLC" search --machine="$work/fast.json" -n 4 "$work/short.pml" --memory=100kB
has err '^pmlc: no choice fits into 100000 bytes: the least that was found takes [0-9]+$'

# Why: each other layout with its price, the cheapest first; what more memory would give.
expect "explain" 0 "$PMLC" search --machine="$work/slow.json" -n 4 "$work/short.pml" --memory=36MB --explain=w1
has out '^w1 at .*short.pml:2:27 is .*; by the cost model the best plan takes with$' '\+0\.0 %$' '^  B +[0-9.]+ m?s +\+[0-9.]+ %$' \
	'^--memory binds: a step would take [0-9.]+ ms, on 4 ranks.*, with [0-9.]+ MB on a rank$'
if awk '/%$/ { now = $(NF - 1) + 0; if (now < last) bad = 1; last = now } / is .*;/ { last = 0 } END { exit bad }' "$work/out"; then ok; else bad "explain: not in the order of cost"; fi
expect "explain a place" 0 "$PMLC" search --machine="$work/slow.json" -n 4 "$work/short.pml" --explain=2:27
has out '^w1 at .*short.pml:2:27 is '
lacks out '^--memory'
expect "explain nothing" 1 "$PMLC" search --machine="$work/slow.json" -n 4 "$work/short.pml" --explain=w9
has err '^pmlc: --explain=w9: nothing of that name, or at that LINE:COLUMN, was chosen; did you mean `w1`\?$'

# What is found computes what the plain program does.
cat >"$work/same.pml" <<-'EOF'
	import std.optim;
	param w1 : f32[24, 32] = normal(std = 0.2);
	param w2 : f32[32, 8] = normal(std = 0.2);
	state x : f32[64, 24] = normal(std = 1.0);
	fn f(x) { let h = tanh(x @ w1); return sum(tanh(h @ w2)); }
	main {
	    for i in 0..5 { optim.sgd(grad(f)(x), lr = 0.01); }
	    print(floor(1000.0 * f(x) + 0.5));
	}
EOF
links free 1 4 1000 1000 0
"$PMLC" run "$TEST_LEVEL" "$work/same.pml" >"$work/plain.out" 2>"$work/err" </dev/null
found "the same values" free 4 "$work/same.pml"
expect "run what was found" 0 "$PMLC" run "$TEST_LEVEL" "$work/found.pml"
if [ -s "$work/plain.out" ] && cmp -s "$work/plain.out" "$work/out"; then ok; else bad "other values: $(cat "$work/plain.out") and $(cat "$work/out")"; fi

# No params, and data that stays whole until a product reads it: the placement is declared all the same, and what moves names it.
cat >"$work/rows.pml" <<-EOF
	import std.data;
	fn gram(x) { return sum(exp(x @ transpose(x) * 0.00001)); }
	main {
	    let text = data.windows("$here/../../README.md") as u8[_, 16];
	    for piece in data.batches(text, size = 512, steps = 1) {
	        let x = piece as f32;
	        var s = 0.0;
	        for i in 0..3 { s = 0.5 * s + gram(x); }
	        print(s);
	        print(gram(x));
	    }
	}
EOF
links free 1 4 50 50 0.01
if taken 3; then
	found "data without params" free 4 "$work/rows.pml"
	wrote '^place grid = ranks\(0\.\.4\)' ' to @grid : '
fi

# Params that another file declares are part of what is chosen where that file can be written as well.
printf 'param w : f32[128, 512] = normal(std = 0.1);\nfn f(x) { return mean(tanh(x @ w)); }\n' >"$work/apart.pml"
cat >"$work/importing.pml" <<-'EOF'
	import apart;
	import std.optim;
	main { for i in 0..3 { optim.sgd(grad(apart.f)(normal(rng(i), [32, 128])), lr = 0.1); } }
EOF
expect "all in another file" 1 "$PMLC" search --machine="$work/free.json" -n 4 "$work/importing.pml" -o "$work/found.pml"
has err ': there is no tensor that ranks could share: ' '^pmlc: layouts are chosen for what `.*importing.pml` itself declares; with -o FOLDER/, or --edit, for what has the type at .*apart.pml:1:11 as well$'
sed -i 's/{ optim.sgd(grad(\(.*\)), lr = 0.1); }/{ let (l, g) = value_and_grad(\1); optim.sgd(g, lr = 0.1); print(l); }/' "$work/importing.pml"
expect "params in another file" 3 "$PMLC" search ${tries:+"$tries"} --machine="$work/free.json" -n 4 "$work/importing.pml" -o "$work/found.pml"
has err '^pmlc: no plan is faster than one rank' '^pmlc: layouts are chosen for what `.*importing.pml` itself declares; with -o FOLDER/, or --edit, for what has the type at .*apart.pml:1:11 as well$'
mkdir -p "$work/many/parts"
cat >"$work/many/parts/block.pml" <<-'EOF'
	// A block.
	struct Block { up : f32[256, 1024] = normal(std = 0.1), down : f32[1024, 256] = normal(std = 0.1) }
	fn block(x, w: Block) {
	    let h = tanh(x @ w.up);   // wide
	    return x + h @ w.down;
	}
EOF
cat >"$work/many/net.pml" <<-'EOF'
	import parts.block;
	param first : block.Block;
	param second : block.Block;
	fn f(x) { return mean(block.block(block.block(x, first), second)); }
EOF
cat >"$work/many/train.pml" <<-'EOF'
	import net;
	import std.optim;
	state x : f32[2048, 256] = normal(std = 1.0);
	main { for i in 0..3 { let (l, g) = value_and_grad(net.f)(x); optim.sgd(g, lr = 0.1); print(floor(l * 1e6)); } }
EOF
expect "a folder" 0 "$PMLC" search ${tries:+"$tries"} --machine="$work/free.json" -n 4 "$work/many/train.pml" -o "$work/into/a/" --explain="$work/many/parts/block.pml:2:35"
has out '^  net.first.up at .*many/parts/block.pml:2:35: ' '^  x at .*many/train.pml:3:25: ' '^net.first.up at .*; by the cost model the best plan takes with$'
for file in train.pml net.pml parts/block.pml; do
	if grep -q '//' "$work/many/$file" && ! grep -q '^// A block\.$' "$work/into/a/$file"; then bad "$name: comments of $file"; else ok; fi
done
what="a folder"
cp "$work/into/a/parts/block.pml" "$work/found.pml"
wrote '^place grid = ranks\(0\.\.4\)' '^struct Block \{ up : f32\[256, 1024\] @ grid' '   // wide$'
cat "$work/into/a/train.pml" "$work/into/a/net.pml" >"$work/found.pml"
wrote '^import parts.block;$' '^state x : f32\[2048, 256\] @ block\.grid'
"$PMLC" run "$TEST_LEVEL" "$work/many/train.pml" >"$work/whole.out" 2>/dev/null </dev/null
expect "a folder: run" 0 "$PMLC" run "$TEST_LEVEL" "$work/into/a/train.pml"
if [ -s "$work/whole.out" ] && cmp -s "$work/whole.out" "$work/out"; then ok; else bad "$name: other values: $(cat "$work/whole.out") and $(cat "$work/out")"; fi
expect "the same folder" 2 "$PMLC" search --machine="$work/free.json" -n 4 "$work/many/train.pml" -o "$work/many"
has err '^pmlc: -o .*many: this is the program.s folder; --edit writes what is there$'
cp -r "$work/many" "$work/edited"
expect "files in place" 0 "$PMLC" search ${tries:+"$tries"} --machine="$work/free.json" -n 4 "$work/edited/train.pml" --edit
for file in train.pml net.pml parts/block.pml; do
	if cmp -s "$work/edited/$file" "$work/into/a/$file"; then ok; else bad "$name: $file is another"; fi
done

# A file imports what is in its folder and below: the placement is declared where all that need it can import it, the first file that does or another
# one, and imported by a path from where it is needed.
mkdir -p "$work/apart/a" "$work/apart/b"
printf 'param w : f32[256, 1024] = normal(std = 0.1);\nfn f(x) { return tanh(x @ w); }\n' >"$work/apart/first.pml"
printf 'param v : f32[1024, 256] = normal(std = 0.1);\nfn g(x) { return mean(x @ v); }\n' >"$work/apart/a/second.pml"
printf 'import first;\nimport a.second;\nstate x : f32[2048, 256] = normal(std = 1.0);\nfn f(x) { return second.g(first.f(x)); }\nmain { for i in 0..3 { let (l, d) = value_and_grad(f)(x); each (p, q) in d { p -= 0.1 * q; } print(floor(l * 1e6)); } }\n' >"$work/apart/main.pml"
cp "$work/apart/first.pml" "$work/apart/a/first.pml"
sed 's/import a.second;/import a.outer;/; s/import first;//; s/second.g(first.f(x))/outer.h(x)/' "$work/apart/main.pml" >"$work/apart/below.pml"
printf 'import first;\nimport second;\nfn h(x) { return second.g(first.f(x)); }\n' >"$work/apart/a/outer.pml"
"$PMLC" run "$TEST_LEVEL" "$work/apart/main.pml" >"$work/whole.out" 2>/dev/null </dev/null
for file in $(share 2 main below); do
	expect "apart: $file" 0 "$PMLC" search ${tries:+"$tries"} --machine="$work/free.json" -n 4 "$work/apart/$file.pml" -o "$work/into/$file/"
	expect "apart: run $file" 0 "$PMLC" run "$TEST_LEVEL" "$work/into/$file/$file.pml"
	if [ -s "$work/whole.out" ] && cmp -s "$work/whole.out" "$work/out"; then ok; else bad "$name: other values: $(cat "$work/whole.out") and $(cat "$work/out")"; fi
done
if grep -q '^import a.second;$' "$work/into/main/first.pml" && { [ ! -d "$work/into/below" ] || grep -q '^import a.first;$' "$work/into/below/below.pml"; }; then ok; else bad "apart: $(head -n 3 "$work/into/main/first.pml" "$work/into/below/below.pml")"; fi
mv "$work/apart/first.pml" "$work/apart/b/first.pml"
sed -i 's/import first/import b.first/' "$work/apart/main.pml"
expect "nobody can import it" 3 "$PMLC" search ${tries:+"$tries"} --machine="$work/free.json" -n 4 "$work/apart/main.pml" -o "$work/into/none/"
has err 'not for what has the type at .*b/first.pml:1:11: the placement would stand in a file that all others with params, states and structs can import, and there is none'

# Images, ten on three ranks: shared out as they are, since windows that are cut (rows of a kernel over ranks) are gathered by no product. What
# batches have seen is a struct of the library, where its params are; one of the program takes its placement last.
cat >"$work/images.pml" <<-'EOF'
	import std.nn;
	import std.loss;
	import std.optim;
	struct Conv[i, o, p: place] { k : f32[o, i, 3, 3] @ p = nn.he(), scale : f32[o] @ p = ones(), shift : f32[o] @ p = zeros() }
	struct Both[p: place] { c : Conv[32, 32, p] }
	param one : Conv[3, 32];
	param two : [2] Both;
	param w : f32[32, 5] = nn.lecun();
	param b : f32[5] = zeros();
	state seen : nn.Seen[32];
	state more : [2] nn.Seen[32];
	fn layer(x, c, seen) { return relu(nn.batchnorm(conv2d(x, c.k, pad = 1), c.scale, c.shift, seen)); }
	fn objective(x, t) {
	    var h = layer(x, one, seen);
	    for i in 0..2 { h = layer(h, two[i].c, more[i]); }
	    return loss.cross_entropy(nn.linear(nn.global_pool(h), w, b), t);
	}
	main {
	    let x = normal(rng(1), [10, 3, 12, 12]);
	    let t = randint(rng(2), [10], 0, 5);
	    for i in 0..3 {
	        let (l, g) = value_and_grad(objective)(x, t);
	        print(floor(1000.0 * l + 0.5));
	        optim.sgd(g, lr = 0.1);
	    }
	    print(floor(1000.0 * sum(more[1].mean) + 0.5));
	}
EOF
if taken 3; then
	"$PMLC" run "$TEST_LEVEL" "$work/images.pml" >"$work/images.out" 2>"$work/err" </dev/null
	# The model's first choice: among several that are compiled and played one is good even by a wrong model.
	found "images" free 3 "$work/images.pml" --tries=1
	wrote '^param one : Conv\[3, 32, grid\];$' '^param two : \[2\] Both\[grid\];$' '^state seen : nn\.Seen\[32, grid\];$' '^state more : \[2\] nn\.Seen\[32, grid\];$'
	expect "run images" 0 "$PMLC" run "$TEST_LEVEL" "$work/found.pml"
	if [ -s "$work/images.out" ] && cmp -s "$work/images.out" "$work/out"; then ok; else bad "images: other values: $(cat "$work/images.out") and $(cat "$work/out")"; fi
	# ns ARGUMENTS...: of a step.
	ns() { "$PMLC" plan --json --machine="$work/free.json" "$@" | sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p'; }
	whole=$(ns "$work/images.pml") thirds=$(ns "$work/found.pml")
	if [ $((10 * thirds)) -le $((5 * whole)) ]; then ok; else bad "images: a step takes $thirds ns on three ranks, and $whole ns on one"; fi
fi

# Compiled with a machine, `auto` is what was found.
sed 's/ = normal/ @ g : auto = normal/; s/^\(.*\)import/place g = ranks(0..2);\n\1import/; s/(h @ w2))/(h @ w2) to B)/; s/x @ w1)/x @ w1 to auto)/; s/return \(.*\); }/return \1 to B; }/; s/tanh(h @ w2) to B/tanh((h @ w2) to B)/' "$work/same.pml" >"$work/auto.pml"
expect "compile auto" 0 "$PMLC" run "$TEST_LEVEL" --machine="$work/free.json" "$work/auto.pml"
has err '^pmlc: a step takes .* on `free`; by the cost model .* within 0\.0 % of the best there is'
if cmp -s "$work/plain.out" "$work/out"; then ok; else bad "compile auto: other values: $(cat "$work/plain.out") and $(cat "$work/out")"; fi
expect "compile without auto" 0 "$PMLC" run "$TEST_LEVEL" --machine="$work/free.json" "$work/same.pml"
lacks err "cost model"

# Layers of a list are alike, and one problem: optimizer, states and all, however many they are.
cat >"$work/list.pml" <<-'EOF'
	import std.optim;
	const L : int = 4;
	struct Layer { up : f32[256, 1024] = normal(std = 0.05), down : f32[1024, 256] = normal(std = 0.05) }
	param layers : [L] Layer;
	state x : f32[64, 256] = normal(std = 1.0);
	fn layer(x, w: Layer) { return x + tanh(x @ w.up) @ w.down; }
	fn f(x) {
	    var h = x;
	    for i in 0..L { h = layer(h, layers[i]); }
	    return sum(h * h);
	}
	main { for i in 0..20 { optim.adamw(optim.clip_norm(grad(f)(x), 1.0), lr = 0.1); } }
EOF
for layers in 4 40; do
	found "$layers layers" fast 4 "$work/list.pml" -D L=$layers
	wrote 'struct Layer .* @ .*S\([01]\)'
	sed -n 's/.*, \([0-9]* variables\)).*/\1/p' "$work/out" >"$work/variables.$layers"
done
if [ -s "$work/variables.4" ] && cmp -s "$work/variables.4" "$work/variables.40"; then ok; else bad "layers that are alike: $(cat "$work/variables.4"), with ten times as many $(cat "$work/variables.40")"; fi

# 50,257 classes are shared out, and the loss is computed of shares.
cat >"$work/classes.pml" <<-'EOF'
	import std.loss;
	import std.optim;
	param e : f32[50257, 512] = normal(std = 0.02);
	state x : f32[256, 512] = normal(std = 1.0);
	state t : i32[256] = zeros(dtype = i32);
	fn f(x, t) {
	    let z[n, v] = sum[d] x[n, d] * e[v, d];
	    return loss.cross_entropy(z, t);
	}
	main { for i in 0..20 { optim.sgd(grad(f)(x, t), lr = 0.01); } }
EOF
if taken 3; then
	found "classes" fast 4 "$work/classes.pml"
	wrote '^param e : .* : .*S\(0\)' 'loss\.cross_entropy\(z, t\) to B;$'
fi

# Experts on the ranks, tokens to them and back by all-to-alls.
cat >"$work/experts.pml" <<-'EOF'
	place g = ranks(0..4);
	param up : f32[8, 128, 512] @ g : auto = normal(std = 0.02);
	state x : f32[16, 8, 4, 128] @ g : S(0) = normal(std = 1.0);
	fn f(x) {
	    let z = tanh(x) to auto;
	    let y[n, e, c, h] = sum[d] z[n, e, c, d] * up[e, d, h];
	    let u = tanh(y) to S(0);
	    return sum(u * u) to B;
	}
	main { for i in 0..20 { let g = grad(f)(x); up -= 0.1 * g.up; } }
EOF
found "experts" fast 4 "$work/experts.pml"
wrote '^param up : .* : S\(0\)' 'tanh\(x\) to S\(1\);$'
"$PMLC" plan "$work/found.pml" >"$work/out"
has out 'all-to-all'

# Tensor parallel within hosts, rows or gradients over the network between them.
links hosts 2 4 20 0.5 20
two_layers 8192 512 4096 >"$work/both.pml"
if taken 3; then
	found "within hosts and across" hosts 8 "$work/both.pml"
	wrote '^place grid = ranks\(0\.\.8\)' 'state x : .*S\(0\)'
fi

# Slower than one rank.
links far 4 1 1 0.001 5000
expect "slower than one rank" 3 "$PMLC" search --machine="$work/far.json" -n 4 "$work/plain.pml"
has err '^pmlc: no plan is faster than one rank, on which a step takes .*: the best, on 4 ranks.*, of which a rank computes .* and sends or waits '
lacks out .

# Wrong use.
echo 'main { for i in 0..3 { print(i); } }' >"$work/numbers.pml"
expect "no tensors" 1 "$PMLC" search --machine="$work/fast.json" -n 4 "$work/numbers.pml"
has err 'numbers.pml: there is no tensor that ranks could share: what gets a layout is params, states, and tensors that this file itself'
expect "one rank" 1 "$PMLC" search --machine="$work/fast.json" -n 1 "$work/plain.pml"
has err 'on one rank there is nothing to choose'
sed 's/"ranks": 4/"ranks": 100000/' "$work/fast.json" >"$work/huge.json"
expect "all ranks of a machine that has more than a program may" 1 "$PMLC" search --machine="$work/huge.json" "$work/plain.pml"
has err "^pmlc: 100000 ranks are more than a program may have, 4096; -n N: how many of the machine's\$"
# What stands at one place has several layouts, each with its own text.
cat >"$work/texts.pml" <<-'EOF'
	param w : f32[512, 64] = normal(std = 0.05);
	param v : f32[64, 64] = normal(std = 0.05);
	state x : f32[512, 512] = normal(std = 1.0);
	fn f(x) { let y = relu(x @ w) @ v; return sum(y * y); }
	main { for i in 0..20 { let g = grad(f)(x); w -= 0.1 * g.w; v -= 0.1 * g.v; } }
EOF
expect "explain a place with two" 0 "$PMLC" search --machine="$work/fast.json" -n 4 "$work/texts.pml" --explain=4:19
has out '^`relu\(x @ w\)` at .*texts.pml:4:19 is ' '^`relu\(x @ w\) @ v` at .*texts.pml:4:19 is '
expect "nothing fits into one byte" 3 "$PMLC" search --machine="$work/fast.json" -n 4 "$work/texts.pml" --memory=1
has err '^pmlc: no choice fits into 1 byte: the least that was found takes [0-9]+$' '^  with --memory=[0-9]+ there is a plan, on 4 ranks'
# The least that is found does not hang on how little there is: a program whose least plan by the model takes more than another.
cat >"$work/network.pml" <<-'EOF'
	import std.loss;
	import std.optim;
	param w1 : f32[784, 512] = normal(std = 0.05);
	param b1 : f32[512]      = zeros();
	param w2 : f32[512, 10]  = normal(std = 0.05);
	state x : f32[128, 784] = normal(std = 1.0);
	state t : i32[128]      = zeros(dtype = i32);
	fn objective[n](x: f32[n, 784], t: i32[n]) { return loss.cross_entropy(relu(x @ w1 + b1) @ w2, t); }
	main { for i in 0..20 { optim.sgd(grad(objective)(x, t), lr = 0.01); } }
EOF
sed 's/784, 512/392, 256/; s/512/256/g; s/784/392/g; s/128/64/g' "$work/network.pml" >"$work/least.pml"
if taken 3; then
	least=
	for memory in 1 ${TEST_LONG:+50kB} 100kB; do
		expect "the least of $memory" 3 "$PMLC" search --machine="$here/../../examples/machines/workstation.json" -n 8 "$work/least.pml" --memory=$memory
		takes=$(sed -n 's/^pmlc: no choice fits .* takes \([0-9]*\)$/\1/p' "$work/err")
		if [ -n "$takes" ] && [ "${least:=$takes}" = "$takes" ]; then ok; else bad "the least of $memory: ${takes:-nothing}, of 1 byte ${least:-nothing}"; fi
	done
	expect "the least fits" 0 "$PMLC" search --machine="$here/../../examples/machines/workstation.json" -n 8 "$work/least.pml" --memory="$least"
	expect "little less does not" 3 "$PMLC" search --machine="$here/../../examples/machines/workstation.json" -n 8 "$work/least.pml" --memory=$((least - least / 50))
fi
expect "too many ranks" 1 "$PMLC" search --machine="$work/fast.json" -n 5 "$work/plain.pml"
has err 'the machine has 4 ranks, and the program 5$'
expect "--edit and -o" 2 "$PMLC" search --machine="$work/fast.json" -n 4 --edit -o "$work/x.pml" "$work/plain.pml"
has err '^pmlc: -o .*: with --edit the source itself is written$'
expect "-n beside placements" 2 "$PMLC" search --machine="$work/fast.json" -n 2 "$work/found.pml"
has err '^pmlc: -n 2: the placements of .* have [48] ranks$'

# Rows that are added up, in a block that can be halved in three ways: on two axes they have to be cut, on three nobody sends anything.
cat >"$work/cube.pml" <<-'EOF'
	state x : f32[2, 2, 2, 100000] = normal(std = 1.0);
	state y : f32[2, 2, 2] = zeros();
	main { for i in 0..9 { y = sum(tanh(x), dim = 3); } }
EOF
links cube 1 8 100 1 50
found "rows on two axes" cube 8 "$work/cube.pml"
lacks out 'middle'
found "rows on three axes" cube 8 "$work/cube.pml" --axes=3
has out ', on 8 ranks, outer = 2, middle = 2, inner = 2, with$'
wrote '^place grid = ranks\(0\.\.8\) as \(outer = 2, middle = 2, inner = 2\);$'
expect "--axes=4" 2 "$PMLC" search --machine="$work/cube.json" -n 8 "$work/cube.pml" --axes=4
has err '^pmlc: --axes'
# What a function of the library finishes inside is a transfer like others: the lines of a softmax stay whole where they can.
cat >"$work/lines.pml" <<-'EOF'
	state x : f32[4, 2, 100000] = normal(std = 1.0);
	main { for i in 0..9 { x = softmax(x, dim = 2); } }
EOF
if taken 3; then
	found "lines of a softmax" cube 8 "$work/lines.pml" --tries=1
	wrote '^state x : f32\[4, 2, 100000\] @ grid : \(outer=S\(0\), inner=S\(1\)\)'
fi

# What is added may be shared out further than what takes it has it; without that a step takes longer.
sed 's/128/4096/' "$work/network.pml" >"$work/biases.pml"
expect "biases" 0 "$PMLC" search --machine="$here/../../examples/machines/ethernet.json" -n 64 "$work/biases.pml" -o "$work/found.pml"
wrote 'b1 : .* @ grid : \(outer=S\(0\), inner=S\(0\)\)' '\(b1 to \(outer=S\(0\)\)\)'
sed '/^param b1/s/, inner=S(0)//; s/(b1 to (outer=S(0)))/b1/' "$work/found.pml" >"$work/whole.pml"
step() { "$PMLC" plan --json --machine="$here/../../examples/machines/ethernet.json" "$1" | sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p'; }
shared=$(step "$work/found.pml") whole=$(step "$work/whole.pml")
if [ -n "$whole" ] && [ "${shared:-$whole}" -lt "$whole" ]; then ok; else bad "biases: ${shared:-nothing} ns shared out further, ${whole:-nothing} as it is taken"; fi

# A convolution is planned as products, and is one for the cost model: both say about the same of a network of them.
cat >"$work/images.pml" <<-'END'
	import std.loss;
	import std.optim;
	param k1 : f32[8, 1, 3, 3] = normal(std = 0.1);
	param k2 : f32[16, 8, 3, 3] = normal(std = 0.1);
	param w : f32[16, 10] = normal(std = 0.1);
	state x : f32[32, 1, 28, 28] = normal(std = 1.0);
	state t : i32[32] = zeros(dtype = i32);
	fn model(x) { return mean(mean(relu(conv2d(relu(conv2d(x, k1)), k2)), dim = 3), dim = 2) @ w; }
	fn objective(x, t) { return loss.cross_entropy(model(x), t); }
	main { for s in 0..10 { optim.sgd(grad(objective)(x, t), lr = 0.01); } }
END
expect "images" 0 "$PMLC" search --machine="$here/../../examples/machines/workstation.json" -n 4 "$work/images.pml"
if awk 'BEGIN { unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9 }
	/^a step takes/ { played = $4 * unit[$5] }
	/^by the cost model the best takes/ { sub(",", "", $9); model = $8 * unit[$9] }
	END { exit !(model > played / 1.5 && model < played * 1.5) }' "$work/out"; then ok; else bad "images: $(grep -E '^a step|^by the cost' "$work/out")"; fi
