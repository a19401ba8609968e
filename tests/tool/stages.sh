# stages.sh — what --emit prints of every stage, and --print-after of a pass.
pipe="$here/../bench/pipeline.pml"
stage() { # STAGE PATTERN...
	name="--emit=$1"
	expect "$name" 0 "$PMLC" "--emit=$1" -D PP=2 -D D=32 -D N=64 -D M=2 "$pipe"
	shift
	has out "$@"
	lacks err .
}
stage tokens '^[0-9]+:[0-9]+'
stage ast 'main'
stage logical '^region 1 main:' '^graph logical' '^%[0-9]+ .*= to\('
logical=$(wc -l <"$work/out")
stage graph '^region 1 main:' '^graph logical'
[ "$(wc -l <"$work/out")" -lt "$logical" ] && ok || bad "the simplified graphs are not smaller"
stage layout '^graph laid out'
stage pipeline '^pipeline 1f1b, 2 micro-batches' '^stage 1 .*ranks 1' '^segment [0-9]+ = backward of micro-batch 1 in stage 0'
stage roles '^role ".+", ranks 1$' '^region 1 main' '^%[0-9]+ = transfer [0-9]+ ' '^%[0-9]+ = send [0-9]+\(%'
stage plan '^role '
stage kernel '^kernel '
stage llvm-ir '^define '
expect "a stage nobody knows" 2 "$PMLC" --emit=bogus "$pipe"
has err '^pmlc: --emit=bogus: expected tokens, ast, logical, graph, layout, pipeline, roles, plan, kernel, llvm-ir, asm or obj$'

printf 'place p = ranks(0..2);\nparam w : f32[4] @ p : S(0) = ones();\nmain { let a = w + 0.0; let b = w + 0.0; print(sum(a * b) to B); }\n' >"$work/passes.pml"
expect "graphs after a pass" 0 "$PMLC" --print-after=algebra "$work/passes.pml" -o "$work/never"
has out '^after algebra, region [0-9]+ main:3$' '^after algebra, .*: nothing changed$' '^%0 "w" = slot'
lacks out ' add\('
[ ! -e "$work/never" ] && ok || bad "--print-after compiles"
expect "and a stage" 0 "$PMLC" --print-after=dce --emit=plan "$work/passes.pml"
has out '^after dce' '^role '
expect "a pass nobody knows" 2 "$PMLC" --print-after=bogus "$work/passes.pml"
has err '^pmlc: --print-after=bogus: expected dce(, [a-z]+)+ or [a-z]+$'
expect "a pass of another command" 2 "$PMLC" check --print-after=dce "$work/passes.pml"
has err 'is an option of `pmlc compile`'
for pass in $(sed -n 's/^PASS(\([a-z]*\),.*/\1/p' "$here/../../compiler/simplify/passes.def"); do
	expect "after $pass" 0 "$PMLC" "--print-after=$pass" "$work/passes.pml"
	has out "^after $pass, region"
done
