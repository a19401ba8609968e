# options.sh — the command line used wrongly: one message in the words of the command line, status 2.
printf 'place all = ranks(0..2);\nmain { print(sum(ones([4]) to @all : S(0)) to B); }\n' >"$work/opt.pml"
printf 'test "a" { assert(true); }\n' >"$work/opttest.pml"
wrong() { # PATTERN ARGUMENTS...
	pattern=$1
	shift
	expect "pmlc $*" 2 "$PMLC" "$@"
	has err "$pattern"
	lacks out .
}
wrong '^pmlc: --json is an option of `pmlc plan`$' check --json "$work/opt.pml"
wrong '^pmlc: -n is an option of `pmlc run`$' -n 2 "$work/opt.pml"
wrong '^pmlc: --fix is an option of `pmlc check`$' run --fix "$work/opt.pml"
wrong '^pmlc: --budget is an option of `pmlc plan`$' test --budget=x "$work/opttest.pml"
wrong '^pmlc: --vary-layouts is an option of `pmlc test`$' --vary-layouts "$work/opt.pml"
wrong 'compiled for one number of ranks' --ranks=1,2 "$work/opt.pml"
wrong '^pmlc: --ranks=: expected' test --ranks= "$work/opttest.pml"
for word in "-n 0" "-n0" "--np 0" "--np=0"; do
	case $word in -n*) said='-n 0' ;; *) said='--np=0' ;; esac
	wrong "^pmlc: $said: expected a number from 1 to 1000000\$" calibrate $word -o "$work/opt.json"
done
wrong '^pmlc: -O 9: expected a number from 0 to 3$' -O9 "$work/opt.pml"
wrong '^pmlc: -D x: expected NAME=VALUE$' -D x "$work/opt.pml"
wrong '^pmlc: --define=x: expected NAME=VALUE$' --define=x "$work/opt.pml"
wrong 'no CODE to explain' explain
wrong '`rnu`, did you mean `run`' rnu "$work/opt.pml"
wrong 'behind `--`: pmlc run .*opt.pml -- --lr=3$' run "$work/opt.pml" --lr=3
wrong 'behind `--`: pmlc run .*opt.pml -- lr=3$' run "$work/opt.pml" lr=3
wrong '^pmlc: --launcher is an option of `pmlc run`$' plan --launcher=x "$work/opt.pml"
wrong '^pmlc: no command for `--launcher`$' run --launcher=" " "$work/opt.pml"
expect "a launcher that is not there" 127 "$PMLC" run "$TEST_LEVEL" --launcher="no-such-launcher -x" "$work/opt.pml"
has err '^pmlc: cannot start no-such-launcher: .*; --launcher says so$'
expect "another launcher" 0 "$PMLC" run "$TEST_LEVEL" --launcher="env PML_TEST=1 ${MPIEXEC:-mpiexec}  -l" "$work/opt.pml"
has out '^\[0\] 4$'
wrong '`wat`' help wat
wrong '^pmlc: --loops=x: expected kept or unrolled$' --loops=x "$work/opt.pml"
wrong '^pmlc: --halos=x: expected whole or parts$' --halos=x "$work/opt.pml"
for words in "--clear-cache" "--version" "-V" "--print=codes" "--print ops"; do
	wrong "^pmlc: ${words% *} takes no operand: \`opt.pml\`\$" $words opt.pml
	wrong "^pmlc: ${words% *} takes no operand: \`plan\`\$" plan $words
done
wrong 'there is no message `PML9999`' explain PML9999
wrong 'there is no message `307x`' explain 307x
expect "a code without its letters" 0 "$PMLC" explain 307
expect "a code in small letters" 0 "$PMLC" explain pml0307
wrong 'takes two operands' plan --diff "$work/opt.pml"
expect "several ranks for test" 0 "$PMLC" test --ranks=1,2 "$work/opttest.pml"
expect "more ranks than there are" 0 "$PMLC" check --ranks=3 "$work/opt.pml"
has err '^pmlc: `.*opt.pml` has 2 ranks: --ranks=3, which folds placements onto fewer ranks, changes nothing'
expect "as many ranks as there are" 0 "$PMLC" check --ranks=2 "$work/opt.pml"
lacks err .
expect "more ranks than the tests have" 0 "$PMLC" test --ranks=1,2 "$work/opttest.pml"
has err 'has 1 rank: --ranks=2'
expect "the usual numbers of ranks" 0 "$PMLC" test "$work/opttest.pml"
lacks err .
for words in "help plan" "plan --help" "--help plan"; do
	expect "help of a command: $words" 0 "$PMLC" $words
	has out '^usage: pmlc plan '
	has out '^ *--budget=FILE '
	has out '^  -D, --define=NAME=VALUE '
	lacks out '--slow'
done
expect "help of all" 0 "$PMLC" solve.pml --help
has out '^ *--slow=RANK:FACTOR '
mkdir -p "$work/folder"
expect "output in a folder that is not there" 1 "$PMLC" "$work/opt.pml" -o "$work/none/a"
has err 'error\[PML0802\]: `.*/none/a` cannot be written: .*/none: No such file'
expect "a folder as output" 1 "$PMLC" "$work/opt.pml" -o "$work/folder"
has err 'error\[PML0802\]: .*it is a folder'
expect "a budget in a folder that is not there" 1 "$PMLC" plan --write-budget="$work/none/b" "$work/opt.pml"
has err 'cannot write `.*/none/b`: No such file'
# A device that gives bytes without end is no text, whoever reads it.
is_no_text() { # WHAT COMMAND...
	expect "$1 of a device" 1 timeout 20 "$PMLC" plan $2 "$work/opt.pml"
	has err '^pmlc: /dev/zero: this is no text: it has a byte of value 0$'
}
is_no_text "a machine" --machine=/dev/zero
is_no_text "a budget" --budget=/dev/zero
is_no_text "a plan" '--diff /dev/zero'
# Rules of every operator there is, and nothing else is said.
"$PMLC" --print=ops >"$work/ops"
expect "rules of all operators" 0 "$PMLC" --print=layout-rules
lacks err .
[ "$(grep -c '^[a-z]' "$work/out")" -eq "$(grep -c '^op ' "$work/ops")" ] && ok || bad "$name: operators are missing"
wrong 'unknown option `--verison`, did you mean `--version`' --verison
wrong '-n 3: the placements of `.*opt.pml` have 2 ranks' run -n 3 "$work/opt.pml"
expect "help of a program that is run" 0 "$PMLC" run "$work/opt.pml" -- --help
has out '^usage: pmlc run .*opt.pml -- \[options\]$'
# A product of 1e-30 and 1e-10 is subnormal in f32: a zero where the program computes derivatives, or is told so.
tiny() { # NAME BEHIND
	printf 'config few : f32 = 1e-30;\nplace all = ranks(0..1);\nmain { let x = (few * ones([4])) to @all; let y = x * 1e-10; print(y[1] > 0.0, y[1] * 1e20 > 0.0); %s }\n' "$2" >"$work/$1.pml"
	expect "$1, subnormal numbers" 0 "$PMLC" "$work/$1.pml" -o "$work/$1"
}
tiny plain ''
tiny derived 'print(grad(sin)(0.5) > 0.8);'
for case in 'plain auto true' 'plain always false' 'derived auto false' 'derived never true'; do
	set -- $case
	expect "subnormal numbers of $1, $2" 0 "$work/$1" --quiet --flush-subnormals=$2
	has out "^$3 $3$"
done
