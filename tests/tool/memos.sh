# memos.sh — with --verify-each whatever the compiler found before and takes for equal (kernels of groups, choices and costs of layouts,
# rules derived from rules) is found again and compared; a difference is a bug it reports. Each program repeats something else.
memo() { # FILE OPTIONS...
	file=$1
	shift
	expect "memos of $(basename "$file")" 0 "$PMLC" plan --verify-each "$@" "$file"
	lacks err .
}
# Two maps of one local rule whose shards begin at different places: their kernels differ by that alone.
cat >"$work/origins.pml" <<'EOP'
place g = ranks(0..4) as (dp = 2, tp = 2);
op weigh(x[n, d]) -> [n, d] = x * ((n + 1) as f32);
param u : f32[8, 4] @ g : (dp=S(0), tp=B) = full(1.0, [8, 4]);
param v : f32[8, 4] @ g : (dp=B, tp=S(0)) = full(1.0, [8, 4]);
main {
    let a = weigh(u);
    let b = weigh(v);
    print((a to B), (b to B));
}
EOP
memo "$work/origins.pml"
expect "origins run" 0 "$PMLC" run "$TEST_LEVEL" "$work/origins.pml" -- --quiet
[ "$(tr -d '\n' <"$work/out" | grep -o '8, 8, 8, 8' | wc -l)" -eq 2 ] && ok || bad "a shard that begins at another row: $(head -20 "$work/out")"
memo "$here/../bench/pipeline.pml" -D PP=2 -D D=32 -D N=64 -D M=2
memo "$here/../../examples/gpt.pml"
memo "$here/../../examples/digits.pml"
for program in attention experts grid remat cells convnet branches_derivatives; do memo "$here/../prog/$program.pml"; done
# What the search takes for alike: maps of layers, and moves between layouts of values, of other sizes among them.
cat >"$work/searched.pml" <<'EOP'
import std.nn;
import std.optim;
place all = ranks(0..4);
param up : [3] f32[32, 96] @ all : auto = nn.he();
param down : [3] f32[96, 32] @ all : auto = nn.he();
param wide : f32[32, 128] @ all : auto = nn.he();
param back : f32[128, 32] @ all : auto = nn.he();
fn loss[n](x: f32[n, 32] @ all : S(0)) {
    var y = x;
    for i in 0..3 { y = y + relu(y @ up[i]) @ down[i]; }
    return mean(square(relu(y @ wide) @ back)) to B;
}
main { for i in 0..9 { optim.sgd(grad(loss)(uniform(rng(i), [16, 32]) to @all : S(0)), lr = 0.1); } }
EOP
for machine in workstation ethernet; do
	expect "memos of a search on $machine" 0 "$PMLC" search --verify-each --tries=1 --machine="$here/../../examples/machines/$machine.json" "$work/searched.pml"
	lacks err .
done
if [ -n "${TEST_LONG:-}" ]; then
	for program in "$here"/../prog/[a-z]*.pml "$here"/../nets/*.pml; do
		"$PMLC" plan "$program" >/dev/null 2>&1 && memo "$program"
	done
fi
