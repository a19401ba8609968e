# search.sh — `pmlc search`: against all combinations (test_search.c has the same by the cost model), what it rediscovers, memory, wrong use.
. "$here/machine.sh"
machine near 1 64 1 10
cat >"$work/network.pml" <<-'EOF'
	import std.loss;
	import std.optim;
	const DP : int = 1;
	const TP : int = 2;
	place grid = ranks(0..DP * TP) as (dp = DP, tp = TP);
	param w1 : f32[48, 64] @ grid : auto = normal(std = 0.05);
	param b1 : f32[64]     @ grid : auto = zeros();
	param w2 : f32[64, 48] @ grid : auto = normal(std = 0.05);
	param w3 : f32[48, 10] @ grid : B = normal(std = 0.05);
	state x : f32[32, 48] @ grid : (dp=S(0), tp=B) = normal(std = 1.0);
	state t : i32[32]     @ grid : (dp=S(0), tp=B) = zeros(dtype = i32);
	fn objective[n](x: f32[n, 48] @ grid : (dp=S(0), tp=B), t: i32[n] @ grid : (dp=S(0), tp=B)) {
	    let h = relu(x @ w1 + b1);
	    return loss.cross_entropy(((h @ w2) to (dp=S(0), tp=B)) @ w3, t) to B;
	}
	main { for i in 0..20 { optim.adamw(grad(objective)(x, t), lr = 0.01); } }
EOF
# Ethernet's links are slow beside such a network: data parallel ranks would not, tensor parallel ones do split it. By all combinations:
for on in "$here/../../examples/machines/workstation.json" "$work/near.json"; do
	expect "a search on $(basename "$on")" 0 "$PMLC" search --machine="$on" "$work/network.pml" -o "$work/found.pml"
	lacks err .
	has out '^by the cost model the best takes .*, within 0\.0 % of the best there is ' '^a step takes '
	found=$("$PMLC" plan --json --machine="$on" "$work/found.pml" | sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p')
	least=
	for w1 in B 'S(0)' 'S(1)'; do for b1 in B 'S(0)'; do for w2 in B 'S(0)' 'S(1)'; do
		sed "s/w1 \(.*\): auto/w1 \1: (tp=$w1)/; s/b1 \(.*\): auto/b1 \1: (tp=$b1)/; s/w2 \(.*\): auto/w2 \1: (tp=$w2)/" "$work/network.pml" >"$work/one.pml"
		ns=$("$PMLC" plan --json --machine="$on" "$work/one.pml" 2>/dev/null | sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p')
		[ -n "$ns" ] && { [ -z "$least" ] || [ "$ns" -lt "$least" ]; } && least=$ns
	done; done; done
	if [ -n "$least" ] && [ "$found" = "$least" ]; then ok; else bad "$name: found ${found:-nothing}, the least of all is ${least:-nothing}"; fi
	if "$PMLC" check "$work/found.pml" >/dev/null 2>&1 && ! grep -q auto "$work/found.pml"; then ok; else bad "$name: what was written is not legal"; fi
done

# Columns, then rows, where the product is worth more than the sum behind it; whole where a message costs more.
sed 's/48, 64\]/48, 4096]/; s/f32\[64\]/f32[4096]/; s/64, 48\]/4096, 48]/' "$work/network.pml" >"$work/wide.pml"
expect "a fast link" 0 "$PMLC" search --machine="$here/../../examples/machines/workstation.json" "$work/wide.pml"
has out 'w1 at .*wide.pml:6:35: \(tp=S\(1\)\)$' 'b1 at .*: \(tp=S\(0\)\)$' 'w2 at .*: \(tp=S\(0\)\)$'
cp "$work/out" "$work/first"
expect "a fast link again" 0 "$PMLC" search --machine="$here/../../examples/machines/workstation.json" "$work/wide.pml"
if cmp -s "$work/first" "$work/out"; then ok; else bad "two searches differ"; fi

# Moves as well: of a product on two axes and of a param that it is made of, by all 81 combinations.
cat >"$work/moves.pml" <<-'EOF'
	place g = ranks(0..4) as (a = 2, b = 2);
	param w : f32[64, 96] @ g : auto = normal(std = 0.05);
	param v : f32[96, 32] @ g : (b=S(0)) = normal(std = 0.05);
	state x : f32[128, 64] @ g : (a=S(0)) = normal(std = 1.0);
	fn f(x) { let h = (x @ w) to auto; return sum(exp((h @ v) to (a=S(0), b=S(1)))) to B; }
	main { for i in 0..9 { print(f(x)); } }
EOF
expect "a search into no folder" 1 "$PMLC" search --machine="$work/near.json" "$work/moves.pml" -o "$work/none/found.pml"
has err '^pmlc: cannot write `.*/none/found.pml`: No such file or directory$'
lacks out .
expect "moves" 0 "$PMLC" search --machine="$work/near.json" "$work/moves.pml" -o "$work/found.pml"
has out '^by the cost model the best takes .*, within 0\.0 % of the best there is ' '^  w at .*moves.pml:2:29: ' '^  [a-z]+ at .*moves.pml:5:30: '
found=$("$PMLC" plan --json --machine="$work/near.json" "$work/found.pml" | sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p')
least=
for wa in B 'S(0)' 'S(1)'; do for wb in B 'S(0)' 'S(1)'; do for ha in B 'S(0)' 'S(1)'; do for hb in B 'S(0)' 'S(1)'; do
	sed "s/g : auto/g : (a=$wa, b=$wb)/; s/to auto/to (a=$ha, b=$hb)/" "$work/moves.pml" >"$work/one.pml"
	ns=$("$PMLC" plan --json --machine="$work/near.json" "$work/one.pml" 2>/dev/null | sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p')
	[ -n "$ns" ] && { [ -z "$least" ] || [ "$ns" -lt "$least" ]; } && least=$ns
done; done; done; done
if [ -n "$least" ] && [ "$found" = "$least" ]; then ok; else bad "moves: found ${found:-nothing}, the least of all is ${least:-nothing}"; fi

# Params that are made whole where they are used: kept whole, unless memory is short.
cat >"$work/shares.pml" <<-'EOF'
	import std.optim;
	place dp = ranks(0..4);
	param w : f32[1000, 1000] @ dp : auto = ones();
	state x : f32[8, 1000] @ dp : S(0) = ones();
	fn objective[n](x: f32[n, 1000] @ dp : S(0)) { return sum(tanh(x @ (w to B))) to B; }
	main { for i in 0..9 { optim.adamw(grad(objective)(x), lr = 0.1); } }
EOF
expect "memory enough" 0 "$PMLC" search --machine="$here/../../examples/machines/ethernet.json" "$work/shares.pml" 
whole=$(sed -n 's/^  w at .*: //p' "$work/out")
expect "memory short" 0 "$PMLC" search --machine="$here/../../examples/machines/ethernet.json" "$work/shares.pml" --memory=14MB
has out '^  w at .*shares.pml:3:34: S\([01]\)$'
[ -n "$whole" ] && ok || bad "no layout where memory is enough"
expect "memory for nothing" 3 "$PMLC" search --machine="$here/../../examples/machines/ethernet.json" "$work/shares.pml" --memory=1MB
has err '^pmlc: no choice fits into 1000000 bytes: the least that was found takes [0-9]+$' \
	'^  rank 0: 9.0 MB: parameters 1.0 MB, state 2.0 MB, activations and gradients 4.0 MB, staging of transfers 8.0 kB, shared with ranks of the host 2.0 MB; may be 1.0 MB$' \
	'^  w +1.0 MB  f32\[1000, 1000\] @ dp : S\([01]\), each rank f32\['
# The limit that it names is one: with a byte less there is no plan.
enough=$(sed -n 's/^  with --memory=\([0-9]*\) there is a plan.*/\1/p' "$work/err")
expect "memory as it was said" 0 "$PMLC" search --machine="$here/../../examples/machines/ethernet.json" "$work/shares.pml" --memory="$enough"
expect "a byte less" 3 "$PMLC" search --machine="$here/../../examples/machines/ethernet.json" "$work/shares.pml" --memory=$((enough - 1))
# Whole it takes least, were it not for the memory; the plan that fits costs what is said.
cat >"$work/binds.pml" <<-'EOF'
	place dp = ranks(0..4);
	param w : f32[200, 200] @ dp : auto = ones();
	state x : f32[1, 200] @ dp : B = ones();
	main { for i in 0..9 { x = (x @ w) to B; } }
EOF
expect "what binds" 0 "$PMLC" search --machine="$work/near.json" "$work/binds.pml" --memory=100kB --explain=w
has out '^  w at .*binds.pml:2:32: S\([01]\)$' '^--memory binds: a step would take 40.0 us, on 4 ranks, with 16[0-9] kB on a rank$' \
	'^  rank 0: 16[0-9] kB: parameters 160 kB, state 800 B, activations and gradients 832 B; may be 100 kB$' \
	'^  w +160 kB  f32\[200, 200\] @ dp : B, each rank f32\[200, 200\]$' \
	'^  the best plan that fits takes [0-9]+ us \(\+[0-9.]+ %\), [0-9.]+ kB on a rank$'
expect "one plan" 0 "$PMLC" search --machine="$work/near.json" "$work/network.pml" --tries=1
has out '; 1 plan played$'
lacks out 'the next best'

# What is assigned to a slice goes by its `to` to where the rest of the tensor is.
cat >"$work/assigned.pml" <<-'EOF'
	place p = ranks(0..4);
	state u : f32[64] @ p : auto = iota(64) as f32;
	state w : f32[62] @ p : auto = iota(62) as f32;
	main { for t in 0..10 { u[1..-1] = (u[1..-1] * 2.0) to S(0); u[1..-1] = w to S(0); } print(sum(u) to B); }
EOF
expect "a slice that is assigned" 0 "$PMLC" search --machine="$work/near.json" "$work/assigned.pml" -o "$work/found.pml"
has out '^  u at .*assigned.pml:2:25: S\(0\)$'
expect "what was found of it" 0 "$PMLC" check "$work/found.pml"

# One axis of a layout.
sed 's/w : f32\[64, 96\] @ g : auto/w : f32[64, 96] @ g : (a=B, b=auto)/' "$work/moves.pml" >"$work/axis.pml"
expect "auto on an axis" 0 "$PMLC" search --machine="$work/near.json" "$work/axis.pml" -o "$work/found.pml"
has out '^  w at .*axis.pml:2:29: (B|\(b=S\([01]\)\))$'
if "$PMLC" check "$work/found.pml" >/dev/null 2>&1; then ok; else bad "auto on an axis: what was written is not legal"; fi

# A gradient in which nothing else is open has the layout of its param: what reads it is judged when that is known.
cat >"$work/reads.pml" <<-'EOF'
	place g = ranks(0..4);
	param w : f32[3, 4] @ g : auto = ones();
	param layers : [3] f32[4] @ g : auto = ones();
	state x : f32[4] @ g : B = ones();
	fn f(x) { var h = x; for i in 0..3 { h = h + w[i] * x + layers[i] * x; } return sum(h to B); }
	main { for i in 0..3 { let d = grad(f)(x); print(d.w[0] to B, d.layers[1] to B); } }
EOF
expect "gradients of what is open" 0 "$PMLC" search --machine="$work/near.json" "$work/reads.pml" -o "$work/found.pml"
has out '^  w at .*reads.pml:2:27: '
if "$PMLC" check "$work/found.pml" >/dev/null 2>&1; then ok; else bad "gradients of what is open: what was written is not legal"; fi

# What reads around shards is fetched for a `to`: frames of a line that is split, which a library's transform takes, are in no plan; behind a stencil that is
# moved they are. And a derivative that is handed to a function is not moved there: states are laid out like it.
cat >"$work/frames.pml" <<-'EOF'
	import std.fft;
	import std.loss;
	param w : f32[17, 10] = normal();
	state x : f32[5, 160] = normal();
	state t : i32[5] = ones();
	fn f(x, t) {
	    let (re, im) = fft.stft(x, size = 32, hop = 8, centered = false);
	    return loss.cross_entropy(mean(log10(maximum((re * re + im * im) @ w, 1e-10)), dim = 1), t);
	}
	fn update(p, d) { state v : like d = zeros(); v = 0.9 * v + d; return v; }
	fn step(g: gradient) { each (p, d) in g { let u = update(p, d); p -= 0.1 * u; } }
	main { for i in 0..3 { let (l, g) = value_and_grad(f)(x, t); step(g); print(l); } }
EOF
for ranks in 2 4; do
	expect "frames on $ranks ranks" 0 "$PMLC" search --machine="$here/../../examples/machines/workstation.json" -n $ranks "$work/frames.pml" -o "$work/found.pml"
	if "$PMLC" check "$work/found.pml" >/dev/null 2>&1; then ok; else bad "$name: what was written is not legal"; fi
done
cat >"$work/stencil.pml" <<-'EOF'
	place g = ranks(0..4);
	state u : f64[4096, 512] @ g : auto = normal();
	op around(u[i, j]) -> [i, j] = u[(i - 1)?, j] + u[(i + 1)?, j] + u[i, (j - 1)?] + u[i, (j + 1)?] - 4.0 * u[i, j];
	fn next(u) { return tanh(u + 0.1 * around(u)) to auto; }
	main { for i in 0..9 { u = next(u) to auto; } print(sum(u) to B); }
EOF
expect "a stencil" 0 "$PMLC" search --machine="$here/../../examples/machines/workstation.json" "$work/stencil.pml" -o "$work/found.pml"
has out '^  u at .*stencil.pml:2:32: S\([01]\)$'

# Which mesh: what is found on it is the best of all meshes, each searched alone.
cat >"$work/mesh.pml" <<-'EOF'
	place g = ranks(0..8) as auto; // which mesh
	param w : f32[512, 2048] @ g : auto = normal(std = 0.05);
	param v : f32[2048, 512] @ g : auto = normal(std = 0.05);
	state x : f32[256, 512] @ g : auto = normal(std = 1.0);
	fn f(x) { return mean(tanh(((x @ w) to auto) @ v) to auto) to B; }
	main { for i in 0..9 { let g = grad(f)(x); w -= 0.1 * g.w; v -= 0.1 * g.v; } }
EOF
machine hosts 4 2 1 5
expect "a mesh" 0 "$PMLC" search --machine="$work/hosts.json" "$work/mesh.pml" -o "$work/found.pml"
has out '^a step takes .*, on 8 ranks' 'within 0\.0 % of the best there is'
if "$PMLC" check "$work/found.pml" >/dev/null 2>&1 && grep -qE '^place g = ranks\(0\.\.8\) as \(outer = [0-9](, inner = [0-9])?\); // which mesh$' "$work/found.pml"; then ok; else bad "a mesh: what was written: $(cat "$work/found.pml")"; fi
found=$(sed -n 's/^a step takes \([^,]*\) on .*/\1/p; 1q' "$work/out")
least=
for mesh in "outer = 8" "outer = 4, inner = 2" "outer = 2, inner = 4"; do
	sed "s/as auto/as ($mesh)/" "$work/mesh.pml" >"$work/one.pml"
	"$PMLC" search --machine="$work/hosts.json" "$work/one.pml" -o "$work/this.pml" >/dev/null 2>&1
	ns=$("$PMLC" plan --json --machine="$work/hosts.json" "$work/this.pml" | sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p')
	[ -n "$ns" ] && { [ -z "$least" ] || [ "$ns" -lt "$least" ]; } && least=$ns
done
ns=$("$PMLC" plan --json --machine="$work/hosts.json" "$work/found.pml" | sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p')
if [ -n "$least" ] && [ "$ns" = "$least" ]; then ok; else bad "a mesh: found $found, ${ns:-nothing} ns, the least of all is ${least:-nothing}"; fi
expect "a mesh, compiled" 0 "$PMLC" --machine="$work/hosts.json" "$work/mesh.pml" -o "$work/mesh"
has err '^pmlc: a step takes '
expect "a mesh without a machine" 1 "$PMLC" check --diagnostics=short "$work/mesh.pml"
has err 'mesh.pml:1:11: error\[PML0901\]: `as auto` is no mesh yet$'
sed '1a place h = ranks(0..4) as auto;\nparam u : f32[4] @ h : auto = zeros();' "$work/mesh.pml" >"$work/two.pml"
expect "meshes of unlike numbers of ranks" 1 "$PMLC" search --machine="$work/hosts.json" "$work/two.pml"
has err '^pmlc: .*two.pml: `as auto` stands for one mesh, here for one of 8 ranks and one of 4$'
expect "a mesh from outside" 1 "$PMLC" search --machine="$work/hosts.json" "$work/mesh.pml" -D 'g=ranks(0..4) as auto'
has err '^pmlc: -D g: `as auto` stands in the source alone$'

# Wrong use.
expect "search without a machine" 2 "$PMLC" search "$work/network.pml"
has err '^pmlc: `pmlc search` needs a machine: --machine=FILE.json'
expect "nothing to search" 1 "$PMLC" search --machine="$work/near.json" "$work/found.pml"
has err 'no param, state or `to` has the layout `auto`: there is nothing to choose; write `: auto` where one is open, `microbatch\(auto\)` or `remat\(auto\)`, or leave out'
sed 's/w3 : f32\[48, 10\] @ grid : B/w3 : f32[48, 10] @ grid : (tp=S(0))/' "$work/network.pml" >"$work/wrong.pml"
expect "a program that nothing makes legal" 3 "$PMLC" search --machine="$work/near.json" "$work/wrong.pml"
has err '^pmlc: .*wrong.pml:14:12: whatever is chosen for `auto`, no layout fits what `max_along` reads$'
sed 's/relu(x @ w1 + b1)/relu(x @ w1 + unknown)/' "$work/network.pml" >"$work/wrong.pml"
expect "a program with an error" 1 "$PMLC" search --machine="$work/near.json" "$work/wrong.pml"
has err 'unknown'
expect "too many ranks" 1 "$PMLC" search --machine="$work/near.json" "$work/network.pml" -D TP=96
has err '^pmlc: .*near.json: the machine has 64 ranks, and the program 96$'
for memory in 0 x 5kg -1GB nan; do
	expect "--memory=$memory" 2 "$PMLC" search --machine="$work/near.json" "$work/network.pml" --memory="$memory"
	has err "^pmlc: --memory=$memory: expected bytes, as in --memory=2GB\$"
done
# Machine files that are none: a line that says what is wrong, and nothing else.
m="$here/../../examples/machines/workstation.json"
mkdir -p "$work/bad"
: >"$work/bad/empty.json"
echo '{' >"$work/bad/open.json"
echo '[]' >"$work/bad/list.json"
head -c 500 "$m" >"$work/bad/cut.json"
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >"$work/bad/deep.json"
awk 'BEGIN { for (i = 0; i < 50000; i++) printf "{\"a\":" }' >"$work/bad/deeper.json"
sed 's/"name"/"nom"/' "$m" >"$work/bad/unknown.json"
for count in -1 0 1e18 1e400 NaN '"two"' '[8]' null 1.5; do
	sed "s/\"count\": [0-9]*/\"count\": $count/" "$m" >"$work/bad/count-$(echo "$count" | tr -dc 'A-Za-z0-9-').json"
done
for latency in -3 1e400 Infinity true; do
	sed "s/\"latency_us\": [0-9.e-]*/\"latency_us\": $latency/" "$m" >"$work/bad/latency-$latency.json"
done
for file in "$work"/bad/*.json "$work/bad" "$work/is-not-there.json"; do
	expect "machine file $(basename "$file")" 1 "$PMLC" search --machine="$file" "$work/network.pml"
	has err '^pmlc: .*'
	if [ "$(wc -l <"$work/err")" -eq 1 ] && [ ! -s "$work/out" ]; then ok; else bad "$name: more than one line"; fi
done
expect "auto without a search" 1 "$PMLC" check --diagnostics=short "$work/shares.pml"
has err 'shares.pml:3:34: error\[PML0901\]: `auto` is no layout yet$'
# What main does not come by has no time, so nothing is chosen there; one word is one layout.
cat >"$work/unread.pml" <<-'EOF'
	place g = ranks(0..2) as (dp = 2);
	place h = ranks(0..2) as (x = 1, y = 2);
	param w : f32[64, 64] @ g : auto = ones();
	fn f(x) { return sum(tanh(x @ w)) to B; }
	fn nobody() { state m : f32[4] @ g : (dp=auto) = zeros(); return w to auto; }
	main { for i in 0..3 { let (l, d) = value_and_grad(f)(ones([64, 64]) to @g : auto); w -= 0.1 * d.w; print(l); } }
	test "whole" { let y = w to auto; assert((sum(y) to B) > 0.0); }
EOF
expect "auto in a test" 0 "$PMLC" search --tries=1 --machine="$work/near.json" "$work/unread.pml" -o "$work/found.pml"
has err '^pmlc: .*unread.pml:5:42: nothing that `main` does comes by this `auto`, which becomes `B`$' 'unread.pml:5:[0-9]*: nothing' 'unread.pml:7:29: nothing'
expect "what was found" 0 "$PMLC" check "$work/found.pml"
if grep -q '(dp=B) = zeros(); return w to B; }$' "$work/found.pml" && grep -q 'let y = w to B; assert' "$work/found.pml" && ! grep -q auto "$work/found.pml"; then ok; else bad "$name: $(cat "$work/found.pml")"; fi
sed 's/^fn f.*/param v : f32[64, 64] @ h : auto = ones();\nfn half(x, w) { return sum(tanh(x @ w to auto)) to B; }\nfn f(x) { return half(x, w) + (half(w to @h : auto, v) to @g : B); }/' "$work/unread.pml" >"$work/both.pml"
expect "one auto on two placements" 1 "$PMLC" search --machine="$work/near.json" "$work/both.pml"
has err '^error\[PML0213\]: `auto` is one layout, here of what is on `g` and of what is on `h`$' '^help: write `to auto` behind the calls, or a function for each of the placements$'

# The cost model takes running sums for one pass along the line, and pays for the windows that products read.
sed 's/"pack": [0-9.]*/"pack": 0.05/' "$here/../../examples/machines/workstation.json" >"$work/packing.json"
cat >"$work/scan.pml" <<-'EOF'
	import std.optim;
	place g = ranks(0..2);
	param w : f32[256, 2048] @ g : auto = ones();
	state x : f32[256, 2048] @ g : S(0) = normal(std = 1.0);
	fn f(x) { let y = cumsum(x * w, dim = 1); return mean(y * y) to B; }
	main { for i in 0..9 { optim.sgd(grad(f)(x), lr = 0.1); } }
EOF
cat >"$work/windows.pml" <<-'EOF'
	import std.optim;
	place g = ranks(0..4);
	param k : f32[4, 2, 3, 3] @ g : auto = normal(std = 0.1);
	state x : f32[64, 2, 28, 28] @ g : S(0) = normal(std = 1.0);
	fn f(x) { let y = conv2d(x, k to B, pad = 1); return mean(tanh(y)) to B; }
	main { for i in 0..9 { optim.sgd(grad(f)(x), lr = 0.1); } }
EOF
for one in scan windows; do
	expect "prices of $one" 0 "$PMLC" search --machine="$work/packing.json" "$work/$one.pml" -o "$work/found.pml"
	if awk 'function us(x, unit) { return unit ~ /^ms/ ? 1000 * x : x } /^a step takes / { plan = us($4, $5) } /^by the cost model the best takes / { model = us($8, $9) }
		END { exit !(plan > 0 && model > plan / 1.5 && model < plan * 1.5) }' "$work/out"; then ok; else bad "$name: $(cat "$work/out")"; fi
done
