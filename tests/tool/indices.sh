# indices.sh — what messages about indices and element types say, and their edits.
index_says() { # NAME BODY PATTERN...
	printf 'main {\n    let x = ones([2, 2]);\n    let n = [0, 2] as i32;\n    %s\n}\n' "$2" >"$work/$1.pml"
	name=$1
	shift 2
	expect "$name is wrong" 1 "$PMLC" check "$work/$name.pml"
	has err "$@"
}
index_says by_floats 'let i = x[0]; print(x[i]);' 'an index is an int, this tensor has `f32` elements' '^help: convert it, which rounds' 'print\(x\[i as i32\]\);$'
index_says by_bools 'print(x[x > 1.0]);' 'has `bool` elements' '^help: .*where\(condition, x, 0.0\)'
index_says by_float 'print(x[1.0]);' 'this is a float' '^help: write a whole number: `1`'
index_says by_two 'print(x[n, n]);' 'several indices that are tensors' '^help: say it in index notation: `let y\[n\] = x\[i\[n\], j\[n\]\];`'
index_says mask_replaced 'var y = x; y[y > 1.0] = 0.0;' 'elements are replaced at ints, tensors of ints and ranges, this is bool' '^help: .*where\(condition, v, x\);'
index_says places_replaced 'var y = x; y[n] = 0.0;' 'index 2 is out of range, dimension 0 of `x` has 2 elements'
index_says added_at_places 'var y = x; y[n] += 1.0;' 'elements are changed at ints and ranges, this is i32\[2\]' '^help: .*scatter_add'
index_says replaced_at_floats 'var y = x; y[x] = 0.0;' 'elements are replaced at ints'
index_says unlike 'for k in 0..2 { print([1, 2.0][k]); }' 'computes this int when it runs' 'of one kind, and \[0\] is an int, \[1\] is a float'
index_says unlike_inside 'for k in 0..2 { print([(x, 1), (2, x)][k][0]); }' 'of one kind, with all that is in it'
index_says mixed 'let y[i] = n[i] * x[i, i];' 'elements of `i32` and `f32` do not mix' '^help: convert one of them: `as f32`' '= n\[i\] as f32 \* x\[i, i\];$'
printf 'main {\n    let x = ones([2, 2]);\n    let n = [0, 1] as i32;\n    let y[k] = x[n[k], n[k]];\n    print(y);\n}\n' >"$work/two.pml"
expect "what the help says compiles" 0 "$PMLC" check "$work/two.pml"
# What a tensor is assigned, or begins as, is converted.
printf 'state n : i32[3] = iota(3);\nmain {\n    n = iota(3) + 1;\n    print(n);\n}\n' >"$work/begins.pml"
expect "other ints" 1 "$PMLC" check "$work/begins.pml"
has err '`n` is i32\[3\], its initial value is i64\[3\]' 'state n : i32\[3\] = iota\(3\) as i32;$' '`n` is i32\[3\], this is i64\[3\]' ' n = \(iota\(3\) \+ 1\) as i32;$'
# One config that is a size in many places is one message, and one word mends it.
printf 'config n : int = 3;\nparam w : f32[n, 2] = zeros();\nmain {\n    let x = zeros([n, n]);\n    print(x, w, ones([n]), iota(n));\n}\n' >"$work/sizes.pml"
expect "a config as a size" 1 "$PMLC" check "$work/sizes.pml"
has err '^4 .* let x' '- and here$'
is "messages of a config as a size" 1 "$(grep -c '^error' "$work/err")"
expect "a config as a size is mended" 0 "$PMLC" check --fix "$work/sizes.pml"
