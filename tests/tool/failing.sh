# failing.sh — `pmlc test` where tests fail: each says so with its title, what it compared and where; the others run all the same,
# on every number of ranks.
cp "$here/failing.pml" "$work/failing.pml"
before=$PWD
cd "$work" || exit 1

expect "tests that fail" 1 "$PMLC" test -O0 --ranks=1,4 failing.pml
has err '^failing.pml:9:62: error: test "host values": `assert\(n == 4\)` does not hold$' '^note: 12497503 == 4 is false$' 'test "two conditions": .assert\(n > 0 && n < 4\). does not hold$' '^note: 12497503 < 4 is false$' \
	'test "a scalar": `assert_equal\(sum\(ones\(\[2\]\)\), 5.0\)` does not hold$' '^note: 2 == 5 is false$' \
	'^note: the largest difference is 5.5 at \[3, 2\]: 11 and 16.5 \(rtol = 0, atol = 0.25\); 7 of 12 elements fail$' \
	'test "a message": too large$' '^note: 11 < 10 is false at \[3, 2\], the largest difference is 1; 2 of 12 elements fail$' \
	'^note: 7 == 0 is false at \[2, 1\], the largest difference is 7; 5 of 12 elements fail$' \
	'^note: 9 < 1 is false at \[3, 0\], the largest difference is 8; 6 of 12 elements fail$' \
	'^note: false at \[0, 2\]; 1 of 12 elements fail$' '^note: 10 < 9.5 is false at \[3, 2\], the largest difference is 0.5; 1 of 12 elements fail$' '^note: `ab` == `ac` is false$' '^note: 3 == 4 is false$' \
	'^note: the largest difference is 0.00421356: 1.41421' 'test "infinities are equal, nans not": `assert_close\(x - x, x\)`' \
	'^note: the largest difference is inf at \[0\]: nan and inf' 'test "in a loop over batches": ' \
	'error: test "ends the job": cannot open `nowhere`' 'error: test "divides": division by zero: floor_div\(1, 0\)$'
has out '^1 rank: 16 of 18 tests failed$' '^4 ranks: 16 of 18 tests failed, as on 1 rank$'
[ "$(grep -c 'error: test "close"' "$work/err")" = 1 ] && ok || bad "what fails on one rank is told again on more"
expect "the same on more ranks alone" 1 "$PMLC" test -O0 --ranks=4 failing.pml
has out '^4 ranks: 16 of 18 tests failed$'
has err '^note: 9 < 1 is false at \[3, 0\], the largest difference is 8; 6 of 12 elements fail$' \
	'^note: the largest difference is 5.5 at \[3, 2\]: 11 and 16.5 \(rtol = 0, atol = 0.25\); 7 of 12 elements fail$' \
	'^note: 7 == 0 is false at \[2, 1\], the largest difference is 7; 5 of 12 elements fail$'
expect "one test" 1 "$PMLC" test -O0 --ranks=4 --only=mesh failing.pml
has out '^4 ranks: 1 of 1 test failed$'
expect "tests by title" 0 "$PMLC" test -O0 --ranks=1 --only=passes failing.pml
has out '^1 rank: ok$'
expect "no such title" 1 "$PMLC" test -O0 --only=meshes failing.pml
has err 'no test of failing.pml has `meshes` in its title; there are$' '^  "a mesh"$'
expect "not of another command" 2 "$PMLC" check --only=mesh failing.pml

# A test that is right on one rank only.
cat >uneven.pml <<'END'
place all = ranks(0..4);
test "fine" { print(sum(ones([1]) to @all)); }
test "rounding" { let x = normal(rng(3), [10000]) to @all : S(0); assert_equal(sum(x) to B, sum(x to B)); }
END
expect "a test that fails on more ranks" 1 "$PMLC" test -O0 --ranks=1,2 uneven.pml
has out '^1 rank: ok$' '^2 ranks: 1 of 2 tests failed$'
has err 'error: test "rounding": `assert_equal' '^note: [-0-9.]+ == [-0-9.]+ is false$'
cd "$before" || exit 1
