# layers.sh — `pmlc search` of plain programs whose layers are a list: a pipeline where links are slow, layers computed
# again where a little memory is missing; what is found computes what the plain program does.
. "$here/found.sh"

cat >"$work/deep.pml" <<-'EOF'
	// Layers in a list.
	import std.loss;
	import std.optim;
	const L : int = 4;
	const D : int = 512;
	const N : int = 64;
	struct Layer {
	    up   : f32[D, D] = normal(std = 0.05),   // first
	    b    : f32[D]    = zeros(),
	    down : f32[D, D] = normal(std = 0.05)
	}
	param layers : [L] Layer;
	param head : f32[D, 10] = normal(std = 0.05);
	fn layer(x, w: Layer) { return x + tanh(x @ w.up + w.b) @ w.down; }
	fn model[n](x: f32[n, D], t: i32[n]) {
	    var h = x;
	    for i in 0..L { h = layer(h, layers[i]); }
	    return loss.cross_entropy(h @ head, t);
	}
	main {
	    for step in 0..3 {
	        let x = normal(rng(step), [N, D]);
	        let t = randint(rng(step, 1), [N], 0, 10);
	        let (l, g) = value_and_grad(model)(x, t);
	        optim.sgd(g, lr = 0.01);
	        print(floor(l * 1000.0 + 0.5));
	    }
	}
EOF
"$PMLC" run "$TEST_LEVEL" "$work/deep.pml" >"$work/plain.out" 2>/dev/null </dev/null
# same: what was found prints what the plain program does.
same() {
	expect "$what: run" 0 "$PMLC" run "$TEST_LEVEL" "$work/found.pml"
	if [ -s "$work/plain.out" ] && cmp -s "$work/plain.out" "$work/out"; then ok; else bad "$what: other values: $(cat "$work/plain.out") and $(cat "$work/out")"; fi
}

# Gradients of wide layers are dear on slow links, a row of them is not: stages of consecutive layers.
links slow 2 1 1 0.05 50
found "a pipeline on slow links" slow 2 "$work/deep.pml"
cp "$work/first" "$work/out"
has out '^a step takes .*, on 2 ranks, 2 stages(, | in ).* micro-batches \((1f1b|gpipe|zb)\), with$' 'the best for these stages adds up to'
wrote '^place grid = ranks\(0\.\.2\) as \(pp = 2\);$' '^fn stage\(layer: int\) \{ return ' '^struct Layer\[on: place\] \{$' ' up +: f32\[D, D\] @ on : B = .*// first$' \
	'^param layers : \[i in 0\.\.L\] Layer\[grid\[pp = stage\(i\)\]\];$' '^param head : .* @ grid\[pp = 1\] : B = ' \
	'^    for piece in 0\.\.pieces \{$' '^        h = h to @grid\[pp = piece\] : B;$' '^        for i in first_of\(piece\)\.\.first_of\(piece \+ 1\) \{ h = layer\(h, layers\[i\]\); \}' 'fn layer\[on: place\]\(x, w: Layer\[on\]\)' \
	'let \(l, g\) = microbatch\([0-9]+(, schedule = "[a-z0-9]+")?\) \{ value_and_grad\(model\)\(x, t\) \};$'
same

# What is found is compiled as it was priced: with the machine, gradients go where they take least time, not least bytes.
links far 4 4 5 0.05 20
found "gradients on slow links" far 16 "$work/deep.pml" --tries=2
has out '^compiled without --machine, gradients have layouts of least bytes, and a step takes [0-9.]+ [mu]s$'
with=$("$PMLC" plan --json --machine="$work/far.json" "$work/found.pml" | sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p')
said=$(sed -n 's/^a step takes \([0-9.]*\) ms on.*/\1/p' "$work/out")
without=$(sed -n 's/^compiled without .* a step takes \([0-9.]*\) ms$/\1/p' "$work/out")
if awk -v with="$with" -v said="$said" -v without="$without" 'BEGIN { exit !(with / 1e6 > 0.99 * said && with / 1e6 < 1.01 * said && without > 1.1 * said) }'; then
	ok
else
	bad "$what: $with ns, said are $said ms, and $without ms without the machine"
fi
"$PMLC" --emit=layout "$work/found.pml" >"$work/by.bytes"
"$PMLC" --emit=layout --machine="$work/far.json" "$work/found.pml" >"$work/by.time"
"$PMLC" --emit=layout --machine="$work/far.json" "$work/found.pml" >"$work/again"
if cmp -s "$work/by.time" "$work/again" && ! cmp -s "$work/by.bytes" "$work/by.time"; then ok; else bad "$what: layouts by time"; fi
expect "$what: verified" 0 "$PMLC" --emit=plan --verify-each --machine="$work/far.json" "$work/found.pml"
# A table that is split by its rows reads around shards, up to the `to` behind it; gradients of all else go by time as ever.
cat >"$work/table.pml" <<-'EOF'
	import std.optim;
	place g = ranks(0..16) as (outer = 4, inner = 4);
	param table : f32[4096, 512] @ g : (outer=S(0), inner=S(0)) = normal(std = 0.05);
	param w : f32[512, 512] @ g : B = normal(std = 0.05);
	param v : f32[512, 512] @ g : B = normal(std = 0.05);
	state tokens : i32[64] @ g : B = zeros(dtype = i32);
	fn f(t: i32[64] @ g : B) {
	    let x = table[t] to (outer=S(0), inner=S(0));
	    let y = tanh(tanh(x @ w) @ v);
	    return sum(y * y) to B;
	}
	main { for i in 0..3 { let g = grad(f)(tokens); optim.sgd(g, lr = 0.1); print(floor(f(tokens))); } }
EOF
"$PMLC" --emit=layout "$work/table.pml" >"$work/by.bytes"
"$PMLC" --emit=layout --machine="$work/far.json" --verify-each "$work/table.pml" >"$work/by.time"
if [ -s "$work/by.time" ] && ! cmp -s "$work/by.bytes" "$work/by.time"; then ok; else bad "gradients behind a table: no layouts by time"; fi
"$PMLC" run "$TEST_LEVEL" "$work/table.pml" >"$work/bytes.out" 2>/dev/null </dev/null
expect "gradients behind a table: run" 0 "$PMLC" run "$TEST_LEVEL" --machine="$work/far.json" "$work/table.pml"
if [ -s "$work/out" ] && cmp -s "$work/bytes.out" "$work/out"; then ok; else bad "$name: other values: $(cat "$work/bytes.out") and $(cat "$work/out")"; fi
links four 2 2 5 0.05 20
for n in $(share 2 4 2); do
	found "gradients on slow links, $n ranks" four $n "$work/deep.pml" --tries=2
	expect "$what: run" 0 "$PMLC" run "$TEST_LEVEL" --machine="$work/four.json" "$work/found.pml"
	if cmp -s "$work/plain.out" "$work/out"; then ok; else bad "$what: other values: $(cat "$work/plain.out") and $(cat "$work/out")"; fi
done

# Layers are one problem in stages as well, however many they are.
for layers in 4 10; do
	sed "s/const L : int = 4/const L : int = $layers/" "$work/deep.pml" >"$work/deeper.pml"
	found "$layers layers in stages" slow 2 "$work/deeper.pml"
	has out '2 stages'
	wrote '@ grid\[pp = 1\]'
	sed -n 's/.*, \([0-9]* variables\)).*/\1/p' "$work/out" >"$work/variables.$layers"
	"$PMLC" --emit=graph "$work/found.pml" | sed -n '/region 1 /,$p' | grep -c '^%' >"$work/nodes.$layers"
done
if [ -s "$work/variables.4" ] && cmp -s "$work/variables.4" "$work/variables.10"; then ok; else bad "layers in stages: $(cat "$work/variables.4"), of ten $(cat "$work/variables.10")"; fi
if [ -s "$work/nodes.4" ] && cmp -s "$work/nodes.4" "$work/nodes.10"; then ok; else bad "layers in stages: $(cat "$work/nodes.4") nodes, of ten $(cat "$work/nodes.10")"; fi

# On a fast one rows are shared out, and no stage waits.
links quick 1 2 20 20 0.5
found "no pipeline on fast links" quick 2 "$work/deep.pml"
lacks out 'stages' 'micro-batches'
same

# A sum over rows is no mean of micro-batches: stages, if any, get the whole batch.
sed 's/return loss.cross_entropy(h @ head, t);/return sum(tanh(h @ head)) * 0.001;/' "$work/deep.pml" >"$work/sum.pml"
rm -f "$work/found.pml"
"$PMLC" search --machine="$work/slow.json" -n 2 "$work/sum.pml" -o "$work/found.pml" >"$work/out" 2>&1
name="a loss that is no mean"
has out '^a step takes |^pmlc: no plan is faster than one rank'
if grep -q microbatch "$work/found.pml" 2>/dev/null; then bad "a loss that is no mean: micro-batches"; else ok; fi

# An embedding that is the output as well, layers of two lists, a tensor that all layers read, data in a state.
cat >"$work/tied.pml" <<-'EOF'
	import std.loss;
	import std.optim;
	const L : int = 5;
	const D : int = 512;
	param table : f32[64, D] = normal(std = 0.05);
	param ups   : [L] f32[D, 2 * D] = normal(std = 0.05);
	param downs : [L] f32[2 * D, D] = normal(std = 0.05);
	state ids : i32[64] = (iota(64) * 7 % 64) as i32;
	fn encoder(ids) {
	    let start = table[ids] * 8.0;
	    var x = start;
	    for i in 0..L {
	        let h = tanh(x @ ups[i]);
	        x = x + h @ downs[i] + 0.1 * start;
	    }
	    return x;
	}
	fn model(ids) {
	    let x = encoder(ids);
	    let logits[n, v] = sum[d] x[n, d] * table[v, d];
	    return loss.cross_entropy(logits, ids);
	}
	main {
	    for step in 0..3 {
	        let (l, g) = value_and_grad(model)(ids);
	        optim.adamw(g, lr = 0.00001);
	        print(floor(l * 10000.0 + 0.5));
	    }
	}
EOF
if taken 3; then
	"$PMLC" run "$TEST_LEVEL" "$work/tied.pml" >"$work/plain.out" 2>/dev/null </dev/null
	found "tied weights in stages" slow 2 "$work/tied.pml"
	wrote '^param table : .* @ grid\[pp = 0\] ' 'let table_last = table to @grid\[pp = 1\] : B;' 'x\[n, d\] \* table_last\[v, d\]' 'let start_here = start to @grid\[pp = piece\] : B;' \
		'^        x = x to @grid\[pp = piece\] : B;$' '^param ups +: \[i in 0\.\.L\] f32\[D, 2 \* D\] @ grid\[pp = stage\(i\)\] : B ' 'let rows_of_ids = ids;' 'value_and_grad\(model\)\(rows_of_ids\)'
	same
fi

# A little memory is missing: as few layers as do are computed again.
if taken 3; then
	sed 's/const D : int = 512/const D : int = 64/; s/const N : int = 64/const N : int = 8192/; s/const L : int = 4/const L : int = 8/' "$work/deep.pml" >"$work/wide.pml"
	"$PMLC" run "$TEST_LEVEL" "$work/wide.pml" >"$work/plain.out" 2>/dev/null </dev/null
	found "memory enough" quick 2 "$work/wide.pml"
	lacks out 'computed again'
	wrote 'h = layer\(h to @grid : S\(0\), layers\[i\]\)' # what the first turn begins with is on no rank
	limit=$(awk -v m="$(takes)" 'BEGIN { print int(m * 0.85 * 1000) "kB" }')
	found "a little memory is missing" quick 2 "$work/wide.pml" --memory="$limit"
	has out ', [1-7] layers? computed again, with$'
	wrote '^    for i in 0\.\.[1-7] \{ h = remat \{ layer\(h' '^    for i in [1-7]\.\.L \{ h = layer\(h'
	if awk -v l="$limit" -v a="$(takes)" 'BEGIN { sub("kB", "", l); exit !(a > 0 && 1000 * a <= l) }'; then ok; else bad "a little memory is missing: a rank takes $(takes) MB, the limit is $limit"; fi
	same
fi

# Layers whose struct, list and loop stand in three files; names that the stages would have are taken.
if taken 3; then
	rm -rf "$work/apart" "$work/there"
	mkdir -p "$work/apart/parts"
	cat >"$work/apart/parts/block.pml" <<-'EOF'
		const D : int = 512;
		struct Layer { up : f32[D, 2 * D] = normal(std = 0.05), b : f32[2 * D] = zeros(), down : f32[2 * D, D] = normal(std = 0.05) }
		fn layer(x, w: Layer) { let stage = x @ w.up + w.b; let on = tanh(stage); return x + on @ w.down; }
	EOF
	cat >"$work/apart/net.pml" <<-'EOF'
		import parts.block;
		const L : int = 5;
		param table  : f32[64, block.D] = normal(std = 0.05);
		param layers : [L] block.Layer;
		param head   : f32[block.D] = ones();
		state ids : i32[64] = (iota(64) * 7 % 64) as i32;
	EOF
	cat >"$work/apart/main.pml" <<-'EOF'
		import net;
		import std.loss;
		import std.optim;
		import parts.block;
		const L : int = 3;
		fn encoder(ids) {
		    let start = net.table[ids] * 8.0;
		    let start_here = 0.1;
		    var x = start;
		    for i in 0..net.L { x = block.layer(x, net.layers[i]) + start_here * start; }
		    return x;
		}
		fn model(ids) {
		    let grid = encoder(ids) * net.head;
		    let logits[n, v] = sum[d] grid[n, d] * net.table[v, d];
		    return loss.cross_entropy(logits, ids);
		}
		main {
		    for step in 0..L {
		        let (l, g) = value_and_grad(model)(net.ids);
		        optim.sgd(g, lr = 0.01);
		        print(floor(l * 1000.0 + 0.5));
		    }
		}
	EOF
	"$PMLC" run "$TEST_LEVEL" "$work/apart/main.pml" >"$work/plain.out" 2>/dev/null </dev/null
	what="layers in three files"
	expect "$what" 0 "$PMLC" search --tries=1 --machine="$work/slow.json" -n 2 "$work/apart/main.pml" -o "$work/there/"
	has out '^a step takes .*, on 2 ranks, 2 stages(, | in ).* micro-batches' ' net\.layers\.0\.up at .*apart/parts/block\.pml:2:'
	cat "$work/there/main.pml" "$work/there/net.pml" "$work/there/parts/block.pml" >"$work/found.pml"
	wrote '^place grid2 = ranks\(0\.\.2\) as \(pp = 2\);$' '^fn layer\[on2: place\]\(x, w: Layer\[on2\]\)' '^param layers : \[i in 0\.\.L\] block\.Layer\[grid2\[pp = stage2\(i\)\]\];$' \
		'^param table  : .* @ grid2\[pp = 0\] : B ' '^param head   : .* @ grid2\[pp = 1\] : B ' '^    for piece in 0\.\.net\.pieces \{$' \
		'^        for i in net\.first_of\(piece\)\.\.min\(net\.L, net\.first_of\(piece \+ 1\)\) \{ ' 'let start_here2 = start to @net\.grid2\[pp = piece\] : B;' \
		'let net_table_last = net\.table to @net\.grid2\[pp = 1\] : B;' 'let rows_of_ids = net\.ids;'
	expect "$what: run" 0 "$PMLC" run "$TEST_LEVEL" "$work/there/main.pml"
	if [ -s "$work/plain.out" ] && cmp -s "$work/plain.out" "$work/out"; then ok; else bad "$what: other values: $(cat "$work/plain.out") and $(cat "$work/out")"; fi
	if grep -q "^const .*: int = 0;" "$work/found.pml"; then bad "$what: what stood for the last stage is left"; else ok; fi
	# Only the file itself is written: there are no layers in it.
	"$PMLC" search --tries=1 --machine="$work/slow.json" -n 2 "$work/apart/main.pml" -o "$work/alone.pml" >"$work/out" 2>&1
	lacks out ' stages'
fi

# A pipeline that the estimate lets in and that takes more when it is compiled: more micro-batches take less.
cat >"$work/held.pml" <<-'EOF'
	import std.loss;
	import std.optim;
	const D : int = 48; const H : int = 4; const K : int = 12; const T : int = 10; const L : int = 4;
	struct Block { wq : f32[D, H, K] = normal(std = 0.15), wk : f32[D, H, K] = normal(std = 0.15), wv : f32[D, H, K] = normal(std = 0.15),
	    wo : f32[H, K, D] = normal(std = 0.15), g : f32[D] = ones(), up : f32[D, 96] = normal(std = 0.1), down : f32[96, D] = normal(std = 0.1) }
	param tok : f32[40, D] = normal(std = 0.3);
	param pos : f32[T, D] = normal(std = 0.3);
	param blocks : [L] Block;
	param out : f32[D, 40] = normal(std = 0.2);
	fn attend[n](x: f32[n, T, D], w: Block) {
	    let q[n, h, t, k] = sum[d] x[n, t, d] * w.wq[d, h, k];
	    let k[n, h, t, k] = sum[d] x[n, t, d] * w.wk[d, h, k];
	    let v[n, h, t, k] = sum[d] x[n, t, d] * w.wv[d, h, k];
	    let s[n, h, i, j] = (sum[c] q[n, h, i, c] * k[n, h, j, c]) * 0.288675;
	    let m[n, h, i, j] = if j <= i => s[n, h, i, j] else -1e9;
	    let p = softmax(m);
	    let y[n, h, t, k] = sum[j] p[n, h, t, j] * v[n, h, j, k];
	    let z[n, t, d] = sum[h, k] y[n, h, t, k] * w.wo[h, k, d];
	    return z;
	}
	fn block[n](x: f32[n, T, D], w: Block) {
	    let a = x + attend(rmsnorm(x, w.g), w);
	    return a + gelu_tanh(a @ w.up) @ w.down;
	}
	fn obj[n](ids: i32[n, T], t: i32[n, T]) {
	    var x = tok[ids] + pos;
	    for i in 0..L { x = block(x, blocks[i]); }
	    return loss.cross_entropy(x @ out, t);
	}
	main {
	    for i in 0..6 {
	        let ids = randint(rng(i), [16, T + 1], 0, 40);
	        let (l, g) = value_and_grad(obj)(ids[.., 0..T], ids[.., 1..T + 1]);
	        optim.adamw(g, lr = 0.001);
	        print(floor(l * 1000.0 + 0.5));
	    }
	}
EOF
links three 1 3 20 20 0.5
found "more micro-batches take less memory" three 3 "$work/held.pml" --memory=1450kB
has out ', 3 stages, (8|16|32) micro-batches '
if awk -v a="$(takes)" 'BEGIN { exit !(a > 0 && a <= 1.45) }'; then ok; else bad "$what: a rank takes $(takes) MB"; fi
