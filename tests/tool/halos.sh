# halos.sh — what is read around shards: bytes that the plan announces, that of the program's definition, and that ranks count.
moves() { # NAME BYTES PROGRAM: in all of a step
	printf '%s\n' "$3" >"$work/$1.pml"
	expect "$1" 0 "$PMLC" plan --json "$work/$1.pml"
	has out "\"step\": {\"flops\": [0-9]*, \"all\": {\"transfers\": [0-9]*, \"bytes_per_rank\": [0-9]*, \"received_per_rank\": [0-9]*, \"bytes\": $2}"
}
four='place p = ranks(0..4);'
moves slice_shift 192 "$four param x : f32[64, 16] @ p : S(0) = normal(); state o : f32[60, 16] @ p : S(0) = zeros(); main { o = x[1..61] to S(0); }"
moves slice_own 0 'place p = ranks(0..2); param x : f32[4, 8] @ p : S(0) = normal(); state o : f32[3, 8] @ p : S(0) = zeros(); main { o = x[0..3] to S(0); }'
moves next_token 1792 'place p = ranks(0..8); param x : f32[8192, 64] @ p : S(0) = normal(); state y : f32[8192, 64] @ p : S(0) = zeros();
op before(x[t, d]) -> [t, d] = x[t - 1, d]; main { y = (before(x) to S(0)) + x; }'
moves roll_by_one 256 "$four state x : f32[64, 16] @ p : S(0) = zeros(); main { x = roll(x, 1, dim = 0) to S(0); }"
moves roll_by_a_shard 4096 "$four state x : f32[64, 16] @ p : S(0) = zeros(); main { x = roll(x, 16, dim = 0) to S(0); }"
# What a rank sends in both of its halos together, not the most of each.
has out '"halo": {"transfers": 2, "bytes_per_rank": 1024, "received_per_rank": 1024, "bytes": 4096}'
# A row of each rank to every other, from whichever end; where shards are uneven also some rows of neighbours. Whole: gathered behind that.
sums="op from_end(a[j, ..], n: int) -> [n, ..] = sum[j] where(j >= n, a, 0);"
moves running_totals $((4 * 3 * 64)) "$four $sums param x : f32[64, 16] @ p : S(0) = normal(); state o : f32[64, 16] @ p : S(0) = zeros(); main { o = cumsum(x, dim = 0) to S(0); }"
moves running_totals_from_end $((4 * 3 * 64)) "$four $sums param x : f32[64, 16] @ p : S(0) = normal(); state o : f32[64, 16] @ p : S(0) = zeros();
main { o = from_end(x, n = 64) to S(0); }"
moves running_totals_uneven $((4 * 3 * 64 + 2 * 3 * 64)) "$four param x : f32[65, 16] @ p : S(0) = normal(); state o : f32[65, 16] @ p : S(0) = zeros();
main { o = cumsum(x, dim = 0) to S(0); }"
moves running_totals_whole $((4 * 3 * 64 + 3 * 64 * 64)) "$four param x : f32[64, 16] @ p : S(0) = normal(); state o : f32[64, 16] @ p : B = zeros(); main { o = cumsum(x, dim = 0) to B; }"
moves running_totals_of_gradients $((2 * 4 * 3 * 64)) "$four param x : f32[64, 16] @ p : S(0) = normal(); state o : f32[64, 16] @ p : S(0) = zeros();
fn f() { let y = cumsum(x, dim = 0) to S(0); return sum(y * y) to B; } main { o = grad(f)().x; }"
moves by_concat 256 "$four state x : f32[64, 16] @ p : S(0) = zeros(); main { x = concat([x[63..64], x[0..63]], dim = 0) to S(0); }"
moves reversed 4096 "$four state x : f32[64, 16] @ p : S(0) = zeros(); main { x = flip(x, dim = 0) to S(0); }"
moves a_row $((3 * 64)) "$four param x : f32[64, 16] @ p : S(0) = normal(); state o : f32[16] @ p : B = zeros(); main { o = relu(x[5]) to B; }"
has out '"around": "1 of dimension 0 from 1 rank"'
# As a slice it stays with its owner, the first rank included, and is shared out from there; on a mesh by all that have parts of it.
for row in 0 20 63; do
	moves a_row_shared $((3 * 16)) "$four param x : f32[64, 16] @ p : S(0) = normal(); state o : f32[16] @ p : S(0) = zeros();
	main { o = relu(reshape(x[$row..$((row + 1))], [16])) to S(0); }"
done
moves a_row_of_a_mesh $((3 * 16)) 'place p = ranks(0..4) as (a = 2, b = 2); param x : f32[64, 16] @ p : (a=S(0), b=S(1)) = normal(); state o : f32[16] @ p : (a=S(0), b=S(0)) = zeros();
main { o = relu(reshape(x[40..41], [16])) to (a=S(0), b=S(0)); }'
moves rows_gathered $((3 * 60 * 64)) "$four param x : f32[64, 16] @ p : S(0) = normal(); state o : f32[60, 16] @ p : B = zeros(); main { o = x[2..62] to B; }"
moves an_element $((3 * 4)) 'place p = ranks(0..4) as (a = 2, b = 2); param x : f32[64, 16] @ p : (a=S(0), b=S(1)) = normal(); state o : f32 @ p : B = 0.0;
main { o = x[40, 3] to B; }'
moves convolution 196608 "$four param x : f32[8, 16, 64, 64] @ p : S(2) = normal(); param w : f32[16, 16, 3, 3] @ p : B = normal();
state o : f32[8, 16, 64, 64] @ p : S(2) = zeros(); main { o = conv2d(x, w, pad = 1) to S(2); }"
has out '"kind": "halo".*"around": "2 of dimension 2 from 2 ranks"'
# In groups, or dilated, it is reshaped in front of its windows and behind.
grouped="$four param x : f32[8, 16, 64, 64] @ p : S(2) = normal(); state o : f32[8, 16, 64, 64] @ p : S(2) = zeros();"
moves convolution_in_groups 196608 "$grouped param w : f32[16, 4, 3, 3] @ p : B = normal(); main { o = relu(conv2d(x, w, pad = 1, groups = 4)) to S(2); }"
moves convolution_dilated 393216 "$grouped param w : f32[16, 16, 3, 3] @ p : B = normal(); main { o = conv2d(x, w, pad = 2, dilation = 2) to S(2); }"
moves convolution_within 196608 "$four param x : f32[8, 16, 64, 64] @ p : S(2) = normal(); param w : f32[16, 4, 3, 3] @ p : B = normal();
state o : f32[8, 16, 62, 62] @ p : S(2) = zeros(); main { o = conv2d(x, w, groups = 4) to S(2); }"
moves pooling 0 "$four param x : f32[2, 3, 8, 6] @ p : S(2) = normal(); state o : f32[2, 3, 4, 3] @ p : S(2) = zeros(); main { o = max_pool2d(x); }"
# All 27 points around one, from the ranks of a cube: a box of 7 x 7 x 7 where a rank has 6 x 6 x 6.
terms=
for a in 'i - 1' i 'i + 1'; do for b in 'j - 1' j 'j + 1'; do for c in 'k - 1' k 'k + 1'; do terms="$terms${terms:+ + }u[$a, $b, $c]"; done; done; done
moves cube $((8 * (7 * 7 * 7 - 6 * 6 * 6) * 4)) "place p = ranks(0..8) as (a = 2, b = 2, c = 2); op step(u[i, j, k]) -> [i, j, k] = $terms;
state u : f32[12, 12, 12] @ p : (a=S(0), b=S(1), c=S(2)) = zeros(); main { u = step(u) to (a=S(0), b=S(1), c=S(2)); }"
# Several operators that read around the same shards fetch what all of them read; blocks that hardly meet are fetched apart.
reads="$four state u : f32[64, 16] @ p : S(0) = zeros(); state x : f32[64, 16] @ p : S(0) = zeros(); state y : f32[64, 16] @ p : S(0) = zeros();
op up(u[i, j]) -> [i, j] = u[i - 1, j] + u[i, j]; op down(u[i, j]) -> [i, j] = u[i + 2, j] + u[i, j]; op both(u[i, j]) -> [i, j] = u[i - 2, j] + u[i + 2, j];"
moves several_readers $((3 * 4 * 64)) "$reads main { x = (up(u) to S(0)) * (down(u) to S(0)); y = both(u) to S(0); }"
has out '"all": {"transfers": 1,'
moves two_readers $((3 * (1 + 2) * 64)) "$reads main { x = up(u) to S(0); y = down(u) to S(0); }"
moves far_apart $((2 * 24 * 64)) "$reads op far(u[i, j]) -> [i, j] = u[i - 40, j] + 1.0; op beyond(u[i, j]) -> [i, j] = u[i + 40, j] + 1.0;
main { x = far(u) to S(0); y = beyond(u) to S(0); }"
cat >"$work/large_windows.pml" <<-'PML'
	place p = ranks(0..4);
	param x : f32[2, 3, 2147483647, 6] @ p : S(2) = normal();
	main { print(sum(max_pool2d(x)) to B); }
PML
for program in several_readers far_apart convolution large_windows; do
	expect "$program: the graph of every pass, read back" 0 "$PMLC" --verify-each -O0 "$work/$program.pml" -o "$work/read"
done
# Back through a linear stencil: the halo of what flows back, and nothing of what was computed, which is not kept either. On a
# mesh each axis has its halo.
linear='op step(u[i, j, k]) -> [i, j, k] = u[i, j, k] + 0.1 * (u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k] + u[i, j, k - 1] + u[i, j, k + 1]);
fn f(u: f64[12, 10, 8] @ p : (a=S(0), b=S(1))) -> f64 @ p { var v = u; for t in 0..4 { v = step(v) to (a=S(0), b=S(1)); } return sum(v * v) to B; }
state u : f64[12, 10, 8] @ p : (a=S(0), b=S(1)) = zeros(); main { let (l, d) = value_and_grad(f, wrt = "u")(u); u = d; print(l); }'
moves back_by_rows $((2 * 4 * 6 * 640 + 2 * 24)) "place p = ranks(0..4) as (a = 4, b = 1); $linear"
moves back_on_a_mesh $((4 * 4 * (768 + 320 + 384) + 2 * 24)) "place p = ranks(0..4) as (a = 2, b = 2); $linear"
expect "the graph of a step back" 0 "$PMLC" --emit=graph "$work/back_on_a_mesh.pml"
lacks out 'stack\('
# An assignment to rows: halos of what is read, in the shares that x leaves of them; without a `to` nothing moves.
moves assigned $((3 * 2 * 64)) "$reads main { x[1..63] = 0.5 * (u[0..62] + u[2..64]) to S(0); }"
moves added $((3 * 2 * 64)) "$reads main { x[1..63] += 0.5 * (u[0..62] + u[2..64]) to S(0); }"
nine="$four state h : f64[9, 12] @ p : S(0) = zeros(); state y : f64[9, 12] @ p : S(0) = zeros(); state e : f64[8, 12] @ p : S(0) = zeros();"
moves assigned_below $((3 * 96)) "$nine main { h[..8] = (y[1..] - y[..8]) to S(0); }"
moves assigned_above $((3 * 96)) "$nine main { h[1..] = (y[1..] - y[..8]) to S(0); }"
moves assigned_evenly $((3 * 96)) "$nine main { h[..8] = e to S(0); }"
moves cut_alike 0 "$four state h : f64[9, 12] @ p : S(0) = zeros(); state k : f64[9, 12] @ p : S(0, shares = [7, 4, 4, 4]) = zeros(); main { h = k + h; k = h - k; }"
echo "$reads main { x[1..63] = 0.5 * (u[0..62] + u[2..64]); print(sum(x) to B); }" >"$work/unmoved.pml"
expect "rows assigned without a to" 1 "$PMLC" check "$work/unmoved.pml"
has err 'help: or fetch what lies around the shards: `to S\(0\)` behind it'
# A ring of four: each rank sends three shards of keys and of values, once more for the gradients, and these come back over as many hops.
ring='import std.nn; place p = ranks(0..4) as (cp = 4); const T : int = 64;
state q : bf16[1, 32, T, 16] @ p : (cp=S(2)) = zeros(); state k : bf16[1, 8, T, 16] @ p : (cp=S(2)) = zeros(); state v : bf16[1, 8, T, 16] @ p : (cp=S(2)) = zeros();
fn f(q, k, v) { let y = nn.ring_attention(q, k, v, shards = 4); return sum(y * y) to B; }'
shard=$((8 * 16 * 16 * 2))
moves ring $((4 * 3 * 2 * shard + 12)) "$ring main { print(f(q, k, v)); }"
# In a zigzag the same moves, and less is computed.
work_of() { awk '/"step"/ { sub(/.*"flops": /, ""); sub(/,.*/, ""); print; exit }' "$work/out"; }
straight=$(work_of)
moves zigzag $((4 * 3 * 2 * shard + 12)) "$(echo "$ring" | sed 's/shards = 4/&, zigzag = true/') main { print(f(q, k, v)); }"
[ "$(work_of)" -lt $((straight * 3 / 4)) ] && ok || bad "a ring in zigzag computes $(work_of), one in order $straight"
moves ring_and_back $((3 * 4 * 3 * 2 * shard + 12)) "$ring
main { let (l, (a, b, c)) = value_and_grad(f, wrt = [0, 1, 2])(q, k, v); q = q - a; k = k - b; v = v - c; print(l); }"
# Of a layer of Llama 3 8B, bf16: 12 MiB of keys and as many of values forward, and the same of what comes once more and of gradients. Memory
# is the same however many shards there are, of tokens in their order and in a zigzag.
cat >"$work/golden.pml" <<-'END'
	import std.nn;
	const C : int = 4;
	const M : int = 2048;
	const T : int = M * C;
	place p = ranks(0..C) as (cp = C);
	state q : bf16[1, 32, T, 128] @ p : (cp=S(2)) = zeros();
	state k : bf16[1, 8, T, 128] @ p : (cp=S(2)) = zeros();
	state v : bf16[1, 8, T, 128] @ p : (cp=S(2)) = zeros();
	fn f(q, k, v) { let y = nn.ring_attention(q, k, v, shards = C); return sum(y * y) to B; }
	main { let (l, (a, b, c)) = value_and_grad(f, wrt = [0, 1, 2])(q, k, v); q = q - a; k = k - b; v = v - c; print(l); }
	END
arena() { sed -n 's/.*"arena": \([0-9]*\).*/\1/p' "$work/out" | head -1; }
expect "a ring of four, planned" 0 "$PMLC" plan --json "$work/golden.pml"
has out '"step": .*"forward": {"transfers": 13, "bytes_per_rank": 25165830,.*"halo": {"transfers": 36, "bytes_per_rank": 75497472,'
four_shards=$(arena)
expect "a ring of sixteen, planned" 0 "$PMLC" plan --json -D C=16 "$work/golden.pml"
[ "$(arena)" = "$four_shards" ] && ok || bad "a ring of sixteen takes $(arena) bytes, one of four $four_shards"
sed -i 's/shards = C/&, zigzag = true/' "$work/golden.pml"
expect "a zigzag of four, planned" 0 "$PMLC" plan --json "$work/golden.pml"
has out '"halo": {"transfers": 72, "bytes_per_rank": 75497472,'
four_shards=$(arena)
expect "a zigzag of sixteen, planned" 0 "$PMLC" plan --json -D C=16 "$work/golden.pml"
[ "$(arena)" = "$four_shards" ] && ok || bad "a zigzag of sixteen takes $(arena) bytes, one of four $four_shards"
# Of halves that are computed in several blocks, too: nothing that goes round is kept from hop to hop, nor goes twice. Ways of as many bytes, round
# the ring or by an all-to-all, differ in one more part that is there meanwhile.
expect "a zigzag of four in blocks, planned" 0 "$PMLC" plan --json -D M=4096 "$work/golden.pml"
has out '"step": .*"all": {"transfers": 73, "bytes_per_rank": 150994950,'
four_shards=$(arena)
expect "a zigzag of sixteen in blocks, planned" 0 "$PMLC" plan --json -D C=16 -D M=4096 "$work/golden.pml"
[ "$(arena)" -le $((four_shards + (1 << 24) + 4096)) ] && ok || bad "a zigzag of sixteen in blocks takes $(arena) bytes, one of four $four_shards"
# Queries alone split: only the gradients of keys and values move, each summed over all ranks.
moves queries_alone $((2 * 3 * 2 * 4 * shard + 12)) "$(echo "$ring" | sed 's/\(state [kv] : [^:]*\) : (cp=S(2))/\1/g')
main { let (l, (a, b, c)) = value_and_grad(f, wrt = [0, 1, 2])(q, k, v); q = q - a; k = k - b; v = v - c; print(l); }"

heat="$here/../../examples/heat.pml"
expect "the plan of halos" 0 "$PMLC" plan "$heat"
has out 'forward +halo, 1 of dimension 0, 1 of dimension 1 from 3 ranks +x,y +u .* 536 B +536 B +2\.1 kB'
expect "halos compiled" 0 "$PMLC" -O0 -D STEPS=40 "$heat" -o "$work/heat"
if timeout 60 "${MPIEXEC:-mpiexec}" -n 4 "$work/heat" --quiet "--profile=$work/heat.json" >"$work/out" 2>"$work/err"; then ok; else bad "halos do not run"; fi
has out '^left of the heat: 0.962[0-9]* +error: [0-9.]*e-1[5-9]$'
cp "$work/heat.json" "$work/out"
has out '"kind": "halo", "direction": "forward", "calls": 40, "bytes": 84480, .*"announced": 2112'

# Of single rows, and of rows in reverse order over uneven shards: what was announced is what is sent.
cat >"$work/rows.pml" <<'EOF'
place p = ranks(0..4);
state w : f32[13, 3] @ p : S(0) = reshape((iota(39) % 7) as f32, [13, 3]);
state o : f32[3] @ p : B = zeros();
state f : f32[13, 3] @ p : S(0) = zeros();
main {
	o = relu(w[5]) to B;
	f = flip(w, dim = 0) to S(0);
	print(o, f to B);
}
EOF
expect "rows compiled" 0 "$PMLC" -O0 "$work/rows.pml" -o "$work/rows"
if timeout 60 "${MPIEXEC:-mpiexec}" -n 4 "$work/rows" --quiet "--profile=$work/rows.json" >"$work/out" 2>"$work/err"; then ok; else bad "rows do not run"; fi
cp "$work/rows.json" "$work/out"
has out '"kind": "halo", "direction": "forward", "calls": 1, "bytes": 36, .*"announced": 36' \
	'"kind": "halo", "direction": "forward", "calls": 1, "bytes": 144, .*"announced": 144'

# Solutions that are known: of the equation of Poisson on the points exactly, of a wave of shear by what its viscosity leaves of it.
solves() { # NAME RANKS PATTERN OPTION...
	taken 3 || return
	example=$1 ranks=$2 pattern=$3
	shift 3
	expect "$example compiled" 0 "$PMLC" -O0 "$@" "$here/../../examples/$example.pml" -o "$work/$example"
	if timeout 60 "${MPIEXEC:-mpiexec}" -n "$ranks" "$work/$example" --quiet >"$work/out" 2>"$work/err"; then ok; else bad "$example does not run"; fi
	has out "$pattern"
}
solves poisson 4 '^turns: 131 +error: [0-9.]*e-1[5-9]$'
solves poisson 3 '^turns: 131 +error: [0-9.]*e-1[5-9]$' -D 'grid=ranks(0..3) as (x=3, y=1)'
solves flow 2 '^mass: (1|1.0000000|0.9999999)[0-9]* +viscosity: 0.100[0-9]* +expected: 0.1$' -D N=2 -D STEPS=100

# In parts or in one piece: the same bits, of stencils with corners and of windows that sum, stepped and with gradients, on any blocks.
cat >"$work/parts.pml" <<-'END'
	const X : int = 2;
	const Y : int = 2;
	place g = ranks(0..X * Y) as (x = X, y = Y);
	state u : f32[67, 83] @ g : (x=S(0), y=S(1)) = uniform(rng(1), [67, 83]);
	param v : f32[67, 83] @ g : (x=S(0), y=S(1)) = zeros();
	param w : f32[67, 83] @ g : (x=S(0), y=S(1)) = zeros();
	param d : f32[67, 83] @ g : (x=S(0), y=S(1)) = zeros();
	state k : f32[5, 3] @ g : B = uniform(rng(2), [5, 3]);
	op nine(u[i, j]) -> [i, j] = (u[i - 1, j - 1] + u[i - 1, j] * u[i, j - 2]) + (u[i + 1, j + 1] + 0.3 * u[i + 2, j - 1]) / (2.0 + u[i, j]);
	op around(u[i, j], k[a, b]) -> [i, j] = sum[a, b] u[i + a - 2, j + b - 1] * u[i, j] * k[a, b];
	fn f(u, k) { let y = around(nine(u) to (x=S(0), y=S(1)), k) to (x=S(0), y=S(1)); return sum(y * y) to B; }
	main {
	    for t in 0..3 { u = nine(u) to (x=S(0), y=S(1)); }
	    v = around(u, k) to (x=S(0), y=S(1));
	    let (l, (a, b)) = value_and_grad(f, wrt = [0, 1])(u, k);
	    w = u;
	    d = d - a;
	    print(l, b);
	    save("parts.safetensors");
	}
	END
in_parts() { # X Y OPTION...: compiled, run and its params kept
	x=$1 y=$2
	shift 2
	expect "blocks of $x x $y $*" 0 "$PMLC" "$TEST_LEVEL" -D "X=$x" -D "Y=$y" "$@" "$work/parts.pml" -o "$work/parts"
	(cd "$work" && timeout 60 "${MPIEXEC:-mpiexec}" -n $((x * y)) ./parts --quiet) >"$work/out" 2>"$work/err" || bad "blocks of $x x $y $*: does not run"
	mv "$work/parts.safetensors" "$work/parts.now"
	if [ ! -f "$work/parts.before" ]; then mv "$work/parts.now" "$work/parts.before"; elif cmp -s "$work/parts.now" "$work/parts.before"; then ok; else bad "blocks of $x x $y $*: other bits"; fi
}
kernels() { "$PMLC" --emit=plan "$@" "$heat" | grep -c ': kernel'; }
in_parts 1 1
for blocks in '3 1' '2 2' '1 4'; do
	! taken 3 || in_parts ${blocks% *} ${blocks#* } --halos=parts
done
! taken 2 || in_parts 2 2 --halos=whole
! taken 2 || in_parts 2 2 --halos=parts --target-cpu=x86-64-v3
# Where it does not pay nothing is cut; where it does, a step that is stepped copies nothing but a rim.
[ "$(kernels)" -eq "$(kernels --halos=whole)" ] && [ "$(kernels)" -lt "$(kernels --halos=parts)" ] && ok || bad "small stencils are cut"
expect "a large step" 0 "$PMLC" --emit=plan -D POINTS=1024 -D 'grid=ranks(0..2) as (x=2, y=1)' "$heat"
has out '^  b[0-9]*: f64\[3072\] arena' '^  4: exchange b[0-9]+ and b[0-9]+' '^  1: kernel [0-9]+ step' '^  2: end transfer 0 '
if grep -q ': copy' "$work/out"; then bad "a step copies its field"; else ok; fi

# Convolutions, which are products: the interior before the halo has come, forward and of the cotangent; the box that is kept for the weights is whole, that
# of the cotangent a rim. Their sums on a grid are the same in parts as in one piece and on one rank; those of floats up to rounding.
cat >"$work/image.pml" <<-'END'
	const R : int = 2;
	const H : int = 96;
	place p = ranks(0..R);
	param k : f32[32, 16, 3, 3] @ p : B = uniform(rng(1), [32, 16, 3, 3]) - 0.5;
	param m : f32[16, 32, 5, 5] @ p : B = uniform(rng(2), [16, 32, 5, 5]) - 0.5;
	state x : f32[2, 16, H, 64] @ p : S(2) = uniform(rng(3), [2, 16, H, 64]) - 0.5;
	state y : f32[2, 16, H, 64] @ p : S(2) = zeros();
	fn f(x) {
	    let h = relu(conv2d(x, k, pad = 1) to S(2));
	    let g = 0.1 * (conv2d(h, m, pad = 2) to S(2)) + y;
	    return mean(g * g) to B;
	}
	main {
	    for t in 0..2 {
	        let (l, g) = value_and_grad(f)(x);
	        k = k - 0.01 * g.k;
	        m = m - 0.01 * g.m;
	        print(l);
	    }
	    save("image.safetensors");
	}
	END
image() { # RANKS OPTION...: compiled, run, its losses in out and its params in image.safetensors
	ranks=$1
	shift
	expect "image on $ranks $*" 0 "$PMLC" "$TEST_LEVEL" -D "R=$ranks" "$@" "$work/image.pml" -o "$work/image"
	(cd "$work" && timeout 60 "${MPIEXEC:-mpiexec}" -n "$ranks" ./image --quiet) >"$work/out" 2>"$work/err" || bad "image on $ranks $*: does not run"
}
expect "convolutions in parts" 0 "$PMLC" --emit=plan "$work/image.pml"
# Nothing but the interior of each of the three that read halos stands between the begin and the end of its halo.
between=$(awk '/^main|region/ { n = 0 } / begin transfer/ { n = 1; next } / end transfer/ { n = 0 } n && /: gemm/ { c++ } END { print c + 0 }' "$work/out")
[ "$between" -ge 3 ] && ok || bad "$between products are computed while something is on its way"
image 1 --reproducible
mv "$work/image.safetensors" "$work/image.before"
for ranks in $(share 2 2 3); do
	for halos in $(share 2 whole parts); do
		image $ranks --reproducible "--halos=$halos"
		cmp -s "$work/image.safetensors" "$work/image.before" && ok || bad "image on $ranks ranks, --halos=$halos: other bits"
	done
	image $ranks --halos=parts
	has out '^0\.3570' '^0\.3565'
done

# The gradient of the weights of a convolution over image rows that are split, where each rank has the whole image: its rows are cut out, and it is a product.
cat >"$work/whole.pml" <<'END'
const N : int = 2;
const PAD : int = 1;
place p = ranks(0..N);
param x : f32[2, 4, 13, 12] @ p : B = normal();
param w : f32[8, 4, 3, 3] @ p : B = normal();
fn f() { let y = conv2d(x, w, pad = PAD) to S(2); return sum(y * y) to B; }
main { let (l, d) = value_and_grad(f)(); print(l, sum(d.w * d.w)); }
END
for options in "-D N=2" "-D N=3 -D PAD=0" "-D N=4 -D PAD=2"; do
	# shellcheck disable=SC2086
	expect "the plan of the gradient of weights, $options" 0 "$PMLC" plan --json $options "$work/whole.pml"
	has out '"products": [23],'
	grep -q '"products": 1,' "$work/out" && bad "the gradient of weights is no product: $options" || ok
done

# What a help says of a `to` that is missing is what the plan then has: a roll fetches what lies around the shards, on a mesh too.
for mesh in 'ranks(0..4) as (a = 2, b = 2);(a=S(0), b=S(1));24' 'ranks(0..4) as (a = 4, b = 1);(a=S(0));48'; do
	layout=${mesh#*;} layout=${layout%;*}
	cat >"$work/rolled.pml" <<-END
		place g = ${mesh%%;*};
		state x : f64[8, 6] @ g : $layout = zeros();
		state y : f64[8, 6] @ g : $layout = zeros();
		main { y = roll(x, 1, dim = 0); }
	END
	expect "a roll without a to, $layout" 1 "$PMLC" "$work/rolled.pml" -o "$work/rolled"
	has err "^help: finish the sum over .a. in shares \(halo, ${mesh##*;} B sent per rank\): "
	sed -i "s/dim = 0);/dim = 0) to $layout;/" "$work/rolled.pml"
	expect "a roll with a to, $layout" 0 "$PMLC" plan --json "$work/rolled.pml"
	has out "\"halo\": {\"transfers\": [12], \"bytes_per_rank\": ${mesh##*;}"
done

# A slice of rows by index goes from their owners, whatever else reads all of the rows in parts; where all of them are moved it is there with them.
rows='state t : f32[64, 8] @ p : S(0) = normal(); state i : i32[32] @ p = ((iota(32) * 7) % 64) as i32; state z : f32[4, 8] @ p : B = zeros();'
moves rows_sliced $((3 * 4 * 32 + 24)) "$four $rows main { let e = embed(t, i); z = e[2..6] to B; print(sum(e) to B); }"
moves rows_moved $((3 * 32 * 32)) "$four $rows state y : f32[32, 8] @ p : B = zeros(); main { let e = embed(t, i); z = e[2..6] to B; y = e to B; }"
