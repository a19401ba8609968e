# test.sh — `pmlc test` on several numbers of ranks and in other layouts.
cp "$here/vary.pml" "$work/vary.pml"

expect "meshes are folded" 0 "$PMLC" test -O0 --ranks=1,3,4 "$work/vary.pml"
has out '^1 rank: ok$' '^3 ranks: ok$' '^4 ranks: ok$' '^m 20 3$'
lacks out '^ok 1 - '
printf 'test "one" { print(1.5); }\n' >"$work/one.pml"
expect "a program of one rank runs once" 0 "$PMLC" test -O0 "$work/one.pml"
[ "$(grep -c 'rank' "$work/out")" = 1 ] && ok || bad "a program of one rank runs more than once"
printf 'main { print(1); }\n' >"$work/none.pml"
expect "no tests" 1 "$PMLC" test -O0 "$work/none.pml"
has err 'has no tests'
expect "tests where a program is to run" 2 "$PMLC" run "$work/one.pml"
has err '^pmlc: `.*one.pml` has no `main`, which is what runs; it has 1 test: pmlc test .*one.pml$'
printf 'fn f(x) { return x; }\n' >"$work/functions.pml"
expect "nothing to run" 2 "$PMLC" run "$work/functions.pml"
has err '^pmlc: `.*functions.pml` has no `main`, which is what runs$'

# A number that rounding decides differs between layouts: it is told which test, which line and both values, and how to see it alone.
cat >"$work/unsure.pml" <<'END'
place all = ranks(0..4);
test "fine" { print(1.25); }
test "decided by rounding" {
    let x = normal(rng(3), [10000]) to @all : S(0);
    print("sum");
    print((sum(x) * 1024.0 to B) % 1.0);
}
END
expect "values that differ" 1 "$PMLC" test -O0 --ranks=1,4 "$work/unsure.pml"
has out '^4 ranks: differs from 1 rank$' '^  test "decided by rounding", line 2 of its output: `[0-9.e-]+` and `[0-9.e-]+`$'
expect "variants that differ" 1 "$PMLC" test -O0 --vary-layouts=2 "$work/unsure.pml"
has out 'differs from as it stands, 4 ranks$' "^  alone: pmlc test --variant='ranks 3' .*unsure.pml$" 'variants tried, 2 of them legal, [12] disagree$'
expect "one of them alone" 1 "$PMLC" test -O0 --variant='ranks 3' "$work/unsure.pml"
has out '^ranks 3: differs from'

[ -n "$TEST_LONG" ] && most=9 || most=4
expect "layouts left out" 0 "$PMLC" test -O0 --vary-layouts=$most "$work/vary.pml"
has out '^as it stands, 4 ranks: ok$' '^grid = ranks\(\[3, 2, 1, 0\]\) as \(dp = 2, tp = 2\): ok$' \
	'^grid = ranks\(.*\) as \(dp = (4|1), tp = (1|4)\): ok$' '^ranks 3: ok$' " $most of them legal, 0 disagree$"
[ -z "$TEST_LONG" ] || has out '^last choice: ok$' '^w : .*: (ok|not legal)' '^m : S\(0\): ok$' '^12:13 : .*: (ok|not legal)'
expect "one variant" 0 "$PMLC" test -O0 --variant='w : (tp=S(1)); m : S(0)' "$work/vary.pml"
has out '^w : \(tp=S\(1\)\); m : S\(0\): ok$'
expect "a const is a variant, too" 1 "$PMLC" test -O0 --variant='N = 4' "$work/vary.pml"
has out '^N = 4: differs from' 'test "a network", line 1 of its output'
expect "no such layout" 1 "$PMLC" test -O0 --variant='q : S(0)' "$work/vary.pml"
has err 'leaves no layout out at `q`'
expect "no variant" 1 "$PMLC" test -O0 --variant='sideways' "$work/vary.pml"
has err 'no variant as'
expect "a variant that is not legal" 1 "$PMLC" test -O0 --variant='w : (dp=S(0))' "$work/vary.pml"

# With --reproducible not even rounding differs.
expect "the same bits" 0 "$PMLC" test -O0 --reproducible --ranks=1,4 "$work/unsure.pml"
has out '^4 ranks: ok$'
cat >"$work/heads.pml" <<'END'
import std.nn;
place g = ranks(0..6) as (dp = 2, tp = 3);
test "grouped queries" {
    let q = normal(rng(1), [2, 6, 4, 2]) to @g : (dp=S(0), tp=S(1));
    let k = normal(rng(2), [2, 3, 4, 2]) to @g : (dp=S(0), tp=S(1));
    print(sum(nn.attention(q, k, k)) to B);
}
END
expect "not legal on fewer ranks" 0 "$PMLC" test -O0 --ranks=1,4,6 "$work/heads.pml"
has out '^1 rank: ok$' '^4 ranks: not legal folded onto so few \(PML0304\), passed over$' '^6 ranks: ok$'
lacks err 'error'
expect "legal on none" 1 "$PMLC" test -O0 --ranks=4 "$work/heads.pml"
has err 'is not legal on any of these numbers of ranks$'
expect "wrong on its own ranks, too" 1 "$PMLC" test --ranks=1,4 "$work/heads.pml" -D 'g=ranks(0..6) as (dp=1, tp=6)'
has err 'error\[PML0304\]: the operands of `nn.attention`'
expect "errors of a program that is folded" 1 "$PMLC" check --ranks=4 "$work/heads.pml"
has err '^pmlc: `.*heads.pml` is folded here: onto 4 of its 6 ranks, by --ranks$'
