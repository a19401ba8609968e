# profile.sh — `--profile-use`: what a run wrote with `--profile=FILE` corrects the machine, for the program in that layout and in others.
cat >"$work/shared.pml" <<-'END'
	const DP : int = 2;
	place grid = ranks(0..DP) as (dp = DP);
	param w : f32[64, 64] @ grid : B = normal(std = 0.05);
	param v : f32[64, 8] @ grid : B = normal(std = 0.05);
	state x : f32[32, 64] @ grid : S(0) = normal(std = 1.0);
	fn f(x) { let y = tanh(x @ w) @ v; return mean(y * y) to B; }
	main { for i in 0..20 { let g = grad(f)(x); w -= 0.1 * g.w; v -= 0.1 * g.v; } }
END
sed '/place grid/d; s/ @ grid : [^=]*=/ =/; s/ to B;/;/' "$work/shared.pml" >"$work/plain.pml"
sed 's/64, 8/64, 4/' "$work/shared.pml" >"$work/other.pml"
expect "profile: compiled" 0 "$PMLC" "$work/shared.pml" -o "$work/shared"
expect "profile: run" 0 mpiexec -n 2 "$work/shared" --quiet --profile="$work/run.json"
has out '^product 16 x 64 x 64 f32 +20 +[0-9.e-]+ +[0-9.]+ +[0-9.]+% +[0-9.]+ GFLOP/s +[0-9]+%$'
# A machine with vectors as wide as the program's, and as slow as whatever runs here; how long messages wait for others here is not looked at.
vectors=$(sed -n 's/.*"vector_bytes": \([0-9]*\).*/\1/p' "$work/run.json")
sed "s/\"vector_bytes\": 32/\"vector_bytes\": $vectors/" "$here/../../examples/machines/workstation.json" >"$work/as.json"
sed 's/"alone_ns": -\{0,1\}[0-9]*/"alone_ns": 20000/' "$work/run.json" >"$work/p.json"
used="--machine=$work/as.json --profile-use=$work/p.json"

if command -v python3 >/dev/null; then
	expect "profile: JSON" 0 python3 -c 'import json, sys; json.load(open(sys.argv[1]))["ranks"][1]["work"][0]["calls"]' "$work/run.json"
fi
# shellcheck disable=SC2086
{
	expect "plan of the program that ran" 0 "$PMLC" plan $used "$work/shared.pml"
	has err '^pmlc: `.*`, corrected by a run on 2 ranks \(all calls of all ranks\):$' '^ +measured +by the file +corrected +$' \
		'^  products of f32 +[^ ]+ .* x [0-9.]+$' '^  (kernels bound by|starts of)'
	has out '^time on `'
	expect "plan as JSON" 0 "$PMLC" plan --json $used "$work/shared.pml"
	lacks out corrected
	expect "plan of another layout" 0 "$PMLC" plan -D DP=1 $used "$work/shared.pml"
	has err 'corrected by a run on 2 ranks'
	expect "simulate" 0 "$PMLC" simulate $used "$work/shared.pml"
	has err 'corrected by a run on 2 ranks'
	expect "compile" 0 "$PMLC" $used "$work/shared.pml" -o "$work/again"
	has err 'corrected by a run on 2 ranks'
	"$PMLC" search -n 2 $used "$work/plain.pml" >"$work/out" 2>"$work/err"
	name="search of the plain program" && has err 'corrected by a run on 2 ranks'
	# What took ten times as long takes so in a prediction.
	step() { "$PMLC" plan --json --machine="$work/as.json" "$@" "$work/shared.pml" 2>"$work/err" | sed -n 's/.*"ns": {"step": \([0-9]*\),.*/\1/p'; }
	sed 's/\("product": .*\), "ns": \([0-9]*\)}/\1, "ns": \20}/' "$work/p.json" >"$work/slow.json"
	now=$(step --profile-use="$work/p.json") then=$(step --profile-use="$work/slow.json")
	if [ "${now:-0}" -gt 0 ] && [ "${then:-0}" -gt $((now * 2)) ]; then ok; else bad "products ten times as slow: ${then:-none} ns, not more than twice ${now:-none}"; fi

	expect "profile of another program" 1 "$PMLC" plan $used "$work/other.pml"
	has err '^pmlc: --profile-use=.*/p.json: this is what a run of `shared` took, whose params and states are not those of `.*/other.pml`$'
	lacks err corrected
	for command in simulate search ""; do
		expect "profile of another program, ${command:-compile}" 1 "$PMLC" $command $used "$work/other.pml"
		has err 'this is what a run of `shared` took'
	done
}
refuses() { # WHAT MESSAGE [MACHINE]
	expect "$1" 1 "$PMLC" plan --machine="${3:-$work/as.json}" --profile-use="$work/bad.json" "$work/shared.pml"
	has err "^pmlc: --profile-use=.*/bad.json: $2"
	lacks out .
}
head -c 3000 "$work/p.json" >"$work/bad.json"
refuses "half a profile" 'line [0-9]+: '
echo '{"traceEvents": []}' >"$work/bad.json"
refuses "a timeline" 'it is not what `--profile=FILE` of a program writes$'
cp "$work/as.json" "$work/bad.json"
refuses "a machine file as a profile" 'it is not what `--profile=FILE` of a program writes$'
sed 's/"format": 2/"format": 99/' "$work/p.json" >"$work/bad.json"
refuses "a profile of another pmlc" 'it is of another version of pmlc; run the program again, compiled by this one$'
sed 's/"calls": [0-9]*, "ns"/"calls": -1, "ns"/' "$work/p.json" >"$work/bad.json"
refuses "a profile with calls below zero" 'ranks\[0\]: work\[0\]: `calls` is no number'
sed 's/"calls": [0-9]*, "ns"/"calls": 1, "ns"/' "$work/p.json" >"$work/bad.json"
sed -i 's/"alone_ns": -\{0,1\}[0-9]*/"alone_ns": -1/' "$work/bad.json"
refuses "a profile of one step" 'nothing in it was done five times: run more steps$'
sed "s/\"vector_bytes\": $vectors/\"vector_bytes\": 8/" "$work/p.json" >"$work/bad.json"
refuses "a profile of other vectors" "the run had vectors of 8 bytes, and processor \`.*\` has $vectors"
cp "$work/p.json" "$work/bad.json"
sed 's/"ranks": 8/"ranks": 1/' "$work/as.json" >"$work/small.json"
refuses "a profile of more ranks" 'the run had 2 ranks, and the machine has 1$' "$work/small.json"
sed 's/\("product": .*\), "ns": \([0-9]*\)}/\1, "ns": \2000000}/' "$work/p.json" >"$work/bad.json"
refuses "a profile of another machine" 'products of f32 \(.*\) took .* times what the machine file says: the run was on another machine'
rm "$work/bad.json"
expect "no such profile" 1 "$PMLC" plan --machine="$work/as.json" --profile-use="$work/bad.json" "$work/shared.pml"
has err 'bad.json'
expect "a profile without a machine" 2 "$PMLC" plan --profile-use="$work/p.json" "$work/shared.pml"
has err '^pmlc: --profile-use=.* corrects a machine: --machine=FILE.json says which'
