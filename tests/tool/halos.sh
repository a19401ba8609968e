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
moves by_concat 256 "$four state x : f32[64, 16] @ p : S(0) = zeros(); main { x = concat([x[63..64], x[0..63]], dim = 0) to S(0); }"
moves reversed 4096 "$four state x : f32[64, 16] @ p : S(0) = zeros(); main { x = flip(x, dim = 0) to S(0); }"
moves convolution 196608 "$four param x : f32[8, 16, 64, 64] @ p : S(2) = normal(); param w : f32[16, 16, 3, 3] @ p : B = normal();
state o : f32[8, 16, 64, 64] @ p : S(2) = zeros(); main { o = conv2d(x, w, pad = 1) to S(2); }"
has out '"kind": "halo".*"around": "2 of dimension 2 from 2 ranks"'
moves pooling 0 "$four param x : f32[2, 3, 8, 6] @ p : S(2) = normal(); state o : f32[2, 3, 4, 3] @ p : S(2) = zeros(); main { o = max_pool2d(x); }"
# Several operators that read around the same shards fetch what all of them read; blocks that hardly meet are fetched apart.
reads="$four state u : f32[64, 16] @ p : S(0) = zeros(); state x : f32[64, 16] @ p : S(0) = zeros(); state y : f32[64, 16] @ p : S(0) = zeros();
op up(u[i, j]) -> [i, j] = u[i - 1, j] + u[i, j]; op down(u[i, j]) -> [i, j] = u[i + 2, j] + u[i, j]; op both(u[i, j]) -> [i, j] = u[i - 2, j] + u[i + 2, j];"
moves several_readers $((3 * 4 * 64)) "$reads main { x = (up(u) to S(0)) * (down(u) to S(0)); y = both(u) to S(0); }"
has out '"all": {"transfers": 1,'
moves two_readers $((3 * (1 + 2) * 64)) "$reads main { x = up(u) to S(0); y = down(u) to S(0); }"
moves far_apart $((2 * 24 * 64)) "$reads op far(u[i, j]) -> [i, j] = u[i - 40, j] + 1.0; op beyond(u[i, j]) -> [i, j] = u[i + 40, j] + 1.0;
main { x = far(u) to S(0); y = beyond(u) to S(0); }"
for program in several_readers far_apart convolution; do
	expect "$program: the graph of every pass, read back" 0 "$PMLC" --verify-each -O0 "$work/$program.pml" -o "$work/read"
done
# An assignment to rows: halos of what is read, in the shares of the value, and the rows that x has on other ranks; without a `to` nothing moves.
moves assigned $((3 * 2 * 64 + 2 * 64)) "$reads main { x[1..63] = 0.5 * (u[0..62] + u[2..64]) to S(0); }"
moves added $((3 * 2 * 64 + 2 * 64)) "$reads main { x[1..63] += 0.5 * (u[0..62] + u[2..64]) to S(0); }"
echo "$reads main { x[1..63] = 0.5 * (u[0..62] + u[2..64]); print(sum(x) to B); }" >"$work/unmoved.pml"
expect "rows assigned without a to" 1 "$PMLC" check "$work/unmoved.pml"
has err 'help: or fetch what lies around the shards: `to S\(0\)` behind it'
# A ring of four: each rank sends three shards of keys and of values; their gradients come back over as many hops.
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
moves ring_and_back $((2 * 4 * 3 * 2 * shard + 12)) "$ring
main { let (l, (a, b, c)) = value_and_grad(f, wrt = [0, 1, 2])(q, k, v); q = q - a; k = k - b; v = v - c; print(l); }"

heat="$here/../../examples/heat.pml"
expect "the plan of halos" 0 "$PMLC" plan "$heat"
has out 'forward +halo, 1 of dimension 0, 1 of dimension 1 from 3 ranks +x,y +u .* 536 B +536 B +2\.1 kB'
expect "halos compiled" 0 "$PMLC" -O0 -D STEPS=40 "$heat" -o "$work/heat"
if timeout 60 "${MPIEXEC:-mpiexec}" -n 4 "$work/heat" --quiet "--profile=$work/heat.json" >"$work/out" 2>"$work/err"; then ok; else bad "halos do not run"; fi
has out '^left of the heat: 0.962[0-9]* +error: [0-9.]*e-1[5-9]$'
cp "$work/heat.json" "$work/out"
has out '"kind": "halo", "direction": "forward", "calls": 40, "bytes": 84480, .*"announced": 2112'

# Solutions that are known: of the equation of Poisson on the points exactly, of a wave of shear by what its viscosity leaves of it.
solves() { # NAME RANKS PATTERN OPTION...
	example=$1 ranks=$2 pattern=$3
	shift 3
	expect "$example compiled" 0 "$PMLC" -O0 "$@" "$here/../../examples/$example.pml" -o "$work/$example"
	if timeout 60 "${MPIEXEC:-mpiexec}" -n "$ranks" "$work/$example" --quiet >"$work/out" 2>"$work/err"; then ok; else bad "$example does not run"; fi
	has out "$pattern"
}
solves poisson 4 '^turns: 131 +error: [0-9.]*e-1[5-9]$'
solves poisson 3 '^turns: 131 +error: [0-9.]*e-1[5-9]$' -D 'grid=ranks(0..3) as (x=3, y=1)'
solves flow 2 '^mass: (1|1.0000000|0.9999999)[0-9]* +viscosity: 0.100[0-9]* +expected: 0.1$' -D N=2 -D STEPS=100
