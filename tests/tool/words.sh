# words.sh — what messages about names say: words of other libraries, names that are nearly right, what there is instead.
told() { # NAME BODY PATTERN...
	{
		printf 'import std.nn;\nimport std.loss;\nimport std.data;\nstruct Block { up : f32[2, 2] = nn.xavier(), down : f32[2, 2] = nn.xavier() }\n'
		printf 'param blocks : [2] Block;\nparam w : f32[2] = ones();\nfn f(x: f32[2]) { return sum(x * w); }\nfn g(m: Block, x: f32[2]) { return x @ m.up; }\nfn g0(m: Block, x: f32[2]) { return sum(g(m, x)); }\nfn h0(x: f32[2]) { return sum(x @ blocks[0].up); }\nmain {\n    let x = ones([2]);\n    %s\n}\n' "$2"
	} >"$work/$1.pml"
	name=$1
	shift 2
	expect "$name is wrong" 1 "$PMLC" check "$work/$name.pml"
	has err "$@"
}
told begins 'let y = nn.xavier_uniform();' '^help: did you mean `xavier`'
told prelude 'print(nn.rmsnorm(x));' '^help: `rmsnorm` is there without a module'
told library 'let l = cholesky(x);' '^help: std.linalg has it: `import std.linalg;`, then `linalg.cholesky`$'
told imported 'print(cross_entropy(x, x));' '^help: std.loss has it: `loss.cross_entropy`$' '[|] +print\(loss.cross_entropy\(x, x\)\)'
told other_module 'print(nn.mse(x, x));' '^help: std.loss has it: `loss.mse`$' '[|] +print\(loss.mse\(x, x\)\)'
told inner 'print(state_rates(x));' '`state_rates` is not known here'
lacks err 'std.nn has it'
told helper 'print(or_zer(x));' '`or_zer` is not known here'
lacks err 'or_zero`'
told fields 'print(blocks[0].gate);' '`Block` has no field `gate`' 'note: it has `up` and `down`$'
told near_field 'print(blocks[0].dwn);' '^help: did you mean `down`\?$' '[|] +print\(blocks\[0\]\.down\);'
told near_argument 'print(softmax(x, dmi = 0));' '`softmax` has no parameter `dmi`' '^help: did you mean `dim`\?$' '[|] +print\(softmax\(x, dim = 0\)\);'
told part_within 'print(grad(h0)(x).up);' '^help: did you mean `blocks\.0\.up`\?$'
# A function, a layout or a struct where a value is wanted, beside a value whose name is near: operands, arguments, conditions, bounds, indices.
told value_operand 'let s = 2.0; print(3.0 / S);' '`/` is not defined for a float and a built-in function' '^help: did you mean `s`\?$' '[|] +let s = 2.0; print\(3.0 / s\);'
told value_negated 'let sums = 2.0; print(-sum);' '^help: did you mean `sums`\?$'
told value_of_op 'let sums = x; print(relu(sum));' '^help: did you mean `sums`\?$'
told value_argument 'let b = x; print(f(B));' 'parameter `x` of `f` is `f32\[2\]`, this is a layout' '^help: did you mean `b`\?$'
told value_condition 'let b = true; if B { }' '^help: did you mean `b`\?$'
told value_bound 'let sums = 2; for i in 0..sum { }' '^help: did you mean `sums`\?$'
told value_index 'let sums = 1; print(x[sum]);' '^help: did you mean `sums`\?$'
told value_field 'let sums = x; print(sum.shape);' '^help: did you mean `sums`\?$'
told value_in_notation 'let sums = 2.0; let y[i] = x[i] * sum;' '^help: did you mean `sums`\?$'
told value_of_the_module 'print(block + x);' '`block` is not known here' '^help: did you mean `Block`\?$'
told value_of_nothing_near 'let total = 2.0; print(3.0 / S);' '`/` is not defined for a float and a built-in function'
lacks err 'did you mean'
told near_but_for_case 'print(g0(X, x));' '`X` is not known here' '^help: did you mean `x`\?$'
told initial_shape 'var y : f32[2] = zeros();' '`zeros` needs its parameter `shape`' '^help: only initial values of params and states have their shape from what is declared; here `zeros\(\[n, m\]\)`$'
told initial_key 'let y : f32[2] = normal(std = 0.1);' '^help: only initial values .* have key and shape from what is declared; here `normal\(rng\(1\), \[n, m\]\)`$'
told initial_full 'let y : f32[2] = full(0.5);' '^help: only initial values .* their shape .*; here `full\(v, \[n, m\]\)`$'
told initial_key_alone 'let y : f32[2] = normal([2]);' '^help: draws take a key first'
lacks err 'only initial values'
told comma_between 'print(softmax(x dim = 0));' '^help: is a `,` missing\?$' '[|] +print\(softmax\(x, dim = 0\)\);'
told comma_in_list 'let y = [1.0 2.0] as f32;' '^help: is a `,` missing\?$'
told comma_in_size 'let y = ones([2 3]);' '^help: is a `,` missing\?$'
told comma_in_names 'let (a b) = (1, 2);' '^help: is a `,` missing\?$'
told semicolon_between 'let y = 3 print(y);' '^help: is a `;` missing\?$'
told semicolon_before_module 'print(x) nn.relu6(x);' '^help: is a `;` missing\?$'
told equals 'let y : int 9;' '^help: is a `=` missing\?$' '[|] +let y : int = 9;'
told semicolon_twice 'print(x);; print(x);' '^help: one `;` is enough$'
told comma_twice 'print(x,, x);' '^help: one `,` is enough$'
told semicolon_behind_block 'for i in 0..3 { print(i); };' '^help: what ends with `}` needs no `;` behind it$'
told values_returned 'return x, 2.0 * x;' '^help: several values stand in parentheses: `return \(a, b\);`$'
told values_bound 'let (a, b) = x, 2.0 * x;' '^help: several values stand in parentheses: `let \(x, y\) = \(a, b\);`$'
told pandas 'print(data.csv("f.csv", ["a"], sep = ";"));' '^help: of `data.csv` it is called `separator`$'
told factor 'let y[i] = sum[j] blocks[0].up[i, j] * x[k];' '`k` is not known here' '^help: an index is one of the result or of a reduction'
told rows 'print(stack([ones([2]), ones([3])], dim = 0));' '`stack` takes tensors of one shape: dimension 0 is 2 and 3'
told types_beside 'print(concat([x, x,
ones([2], dtype = f64)]));' '--> .*:[0-9]+:1$' '`concat` takes tensors of one element type: f32 and f64$' 'the first is this$'
told types_of_lines 'print(stack([x, 2.0 * x, ones([2], dtype = i32), x]));' '[|] +- +\^\^\^\^\^\^\^\^\^\^\^\^\^\^\^\^\^\^\^\^\^\^$' '`stack` takes tensors of one element type: f32 and i32$'
told list_beside 'print(concat([x, [1.0, 2.0]]));' '[|] +\^\^\^\^\^\^\^\^\^\^$' '`concat` takes a tensor, this is a list'
told beside 'print(concat([ones([2, 3]), ones([3, 3])]));' '`concat` takes tensors of one shape but along `dim`: dimension 0 is 2 and 3'
told ended 'for i in 0..3 { let last = 2.0 * i; } print(last);' '`last` is not known here' 'this one ends with its block' '^help: what is used behind the block is declared before it, `var last = ...;`, and assigned in it'
lacks err 'did you mean'
told turn 'for i in 0..3 { print(i); } print(i);' '`i` is not known here' 'this one ends with its block'
lacks err '^help'
told counted 'for i in 0..3 { print(ones([2 * i + 1])); }' '^help: outside of functions the running program counts `i`; in one, `fn f\(\) . for i in a..b'
told counted_there 'var k = 1; for i in 0..3 { print(ones([k])); k += 1; }' 'as is a `var` that a loop changes'
lacks err '^help'
told padding 'print(max_pool2d(ones([1, 1, 4, 4]), kernel_size = 2, padding = 1));' '^help: the parameter is called `size`'
told assigned 'if w[0] > 0.0 { var first = 1.0; } first = 2.0;' '`first` is not known here' 'this one ends with its block' '^help: or declare it'
told two_names 'let a, b = (1, 2);' 'expected `=`, found `,`' '^help: several names stand in parentheses: `let \(a, ...\) = ...;`'
told axes 'let y = x to S(0), S(1);' 'expected `;`, found `,`' '^help: layouts of several axes stand in parentheses, each behind the name of its axis'
told axes_of_whole 'let y = x to @all : B, S(0);' '^help: layouts of several axes stand in parentheses'
told axes_of_type 'print(x); } fn h(y: f32[2, 2] @ all : P(max), S(0)) { return y;' 'expected `\)`, found `\(`' '^help: layouts of several axes stand in parentheses'
told no_axes 'print(x), S(0);'
lacks err 'layouts of several axes'
told list 'print([1, f]);' 'a list cannot be printed'
told labels 'print(loss.cross_entropy(blocks[0].up, x));' 'parameter `labels` of `cross_entropy`' '`t` stands for int'
told swapped 'print(nn.embedding([1, 0] as i32, blocks[0].up));' '`embedding` stand in another order: it takes `table` and `ids`' 'this is no `ids`' 'embedding\(blocks\[0\].up, \[1, 0\] as i32\)'
told size 'print(uniform(4, rng(1)));' '`uniform` stand in another order' 'uniform\(rng\(1\), \[4\]\)'
told key_last 'print(nn.dropout(x, 0.3, rng(1)));' '`dropout` stand in another order' 'dropout\(x, rng\(1\), 0\.3\)'
told logarithm 'let l = sum(x); log(l);' 'this is the logarithm of a number, and nobody reads it' 'log\(l = l\)'
told segments 'print(segment_sum(ones([6, 2]), iota(6) as i32, 6));' '^help: say along which dimension if not the last: `dim = 0`$'
told said 'print(segment_sum(ones([6, 2]), iota(6) as i32, 6, dim = 1));' 'dimension 1 of `x` is 2'
lacks err '`dim = 0`'
told columns 'print(ones([6, 2]) @ ones([6]));' 'sizes of `@` do not fit: 2 and 6$' 'dimension 1 of the left operand is 2' 'dimension 0 of the right operand is 6'
lacks err '`dim = 0`'
told struct_first 'print(g(ones([2]), blocks[0]));' '`g` stand in another order: it takes `m` and `x`' 'g\(blocks\[0\], ones\(\[2\]\)\)'
told struct_there 'print(g(blocks[0], ones([2], dtype = f64)));' 'parameter `x` of `g` is `f32\[2\]`' '^help: convert it: `as f32`'
told by_argument 'let d = grad(g0, wrt = "m")(blocks[0], x); each (p, e) in d { print(e); }' '^help: `wrt = "x"` gives the derivative in the form of the argument'
told list_less 'let d = 0.1 * blocks;' '^help: structs are computed with field by field, with the lists in them'
told percent 'print("loss %f" % 0.3);' '^help: `print` takes values one after the other'
told apart 'let (y, a, b) = (1.0, (x, x));' 'a tuple of 2 does not come apart into 3 names' 'note: its members are a float and a tuple of 2$'
told whole 'print(bitwise_and(iota(2), 1.0));' '^help: write a whole number: `1`$' '[|] +print\(bitwise_and\(iota\(2\), 1\)\)'
lacks err 'prelude' 'as f32'
told whole_or_float 'print(iota(2) * 2.0);' '^help: write a whole number: `2`$' '^help: convert the elements: `as f32`$' 'iota\(2\) as f32 \* 2\.0'
told power 'for i in 0..3 { print(iota(2) * 2 ** i); }' '^help: convert the elements: `as f32`$' '^help: or the number, without its fraction: `as i64`$' 'iota\(2\) \* \(2 \*\* i\) as i64'
told lambda 'let h = fn(x) { return x; };' '^help: functions have names and stand outside of blocks'
for nameless in 'fn(x) => 2.0 * x' 'fn (x) { return x; }' 'lambda y: 2.0 * y' 'x => 2.0 * x' '(x, y) -> x' 'function (x) { return x; }'; do
	told nameless "print(vmap($nameless)(x));" '^help: functions have names and stand outside of blocks.*a function is handed on by its name$'
done
told lambda_in_list 'let fs = [fn (x) => x, 2.0];' '^help: functions have names and stand outside of blocks'
told lambda_of_nothing 'print(grad(lambda: 3.0)());' '^help: functions have names and stand outside of blocks'
told arrow 'let y = if true -> 1 else 2;' '^help: a choice is written `if condition => a else b`'
told c_loop 'for (i = 0; i < 3; i = i + 1) { print(i); }' '^help: a loop counts by itself'
told inner_product 'print(nn.linear(ones([3, 4]), ones([5, 4]), x));' 'sizes of `nn.linear` do not fit: 4 and 5$' 'dimension 1 of this is 4$' 'dimension 0 of this is 5$'
told inner_labels 'let t = [0, 1, 2] as i32; print(loss.cross_entropy(ones([4, 3]), t));' 'sizes of `loss.cross_entropy` do not fit: 4 and 3$' 'note: dimension 0 of `t` is 3$' 'note: dimension 0 of an operand is 4$'
told inner_shape 'print(conv2d(ones([3, 8, 8]), ones([4, 3, 3, 3])));' '`conv2d` takes a tensor of 4 dimensions here, this has 3$'
told inner_shape_at 'print(max_pool2d(ones([8, 8])));' '`max_pool2d` takes a tensor of at least 3 dimensions here, this has 2$'
told inner_rank 'print(kron(x, eye(2)));' '`x` has 1 dimension, `kron` wants 2$'
told inner_type 'print(one_hot(x, 3));' 'an operand of `one_hot` has int elements, this has f32$'
told inner_size 'print(pad(x, before = -4));' 'a size of `pad` is negative: -2$'
told joined_apart 'print(concat([eye(2), eye(3)], dim = 0));' 'of one shape but along `dim`: dimension 1 is 2 and 3$'
told square 'print(trace(ones([3, 4])));' 'dimension 0 of `a` is 3' 'dimension 1 of `a` is 4'
told opens 'print(reshape(ones([6]), [-1, -1]));' 'one size may be -1, which is found from the others, not two$'
told keys 'print(split(rng(1), -1));' 'a list has 0 to [0-9]+ keys, not -1$' '^help: `fold\(key, i\)` makes one'
told one_index 'print(x[0][0]);' 'a tensor of 0 dimensions has here 1 index$'
told unplaced 'var y = x; for i in 0..3 { y = concat([y, y]); }' '`y` is f32\[2\], this is f32\[4\]$'
told left_shift 'print(7 << 2);' '^help: bits are shifted by `left_shift\(a, n\)`$'
told right_shift 'print(7 >> 2);' '^help: bits are shifted by `right_shift\(a, n\)`$'
told augmented 'var k = 5; k %= 3;' '^help: there is `\+=`, `-=`, `\*=` and `/=`; else write `x = x % y`$'
told walrus 'let k := 3;' '^help: write `=`$'
told bound 'let k == 3;' '^help: `==` compares; a name is bound by `=`$'
told placement_bare 'let y = x to all : S(0);' '^help: a placement stands behind `@`: `to @all : S\(0\)`$'
told tried 'try { print(x); }' '^help: errors end the program with a message'
told unknown_twice 'print(foo); print(x + foo);' 'note: `foo` stands in this line once more$'
told unknown_often 'print(foo);
print(x);
print(foo + foo); print(foo);' 'note: `foo` stands in 3 more places, the next in line [0-9]+$'
told unknown_in_op 'let y[i] = foo(x[i]); print(y);' '`foo` is not known here'
lacks err 'an index is one of'
told deep 'print(h(300)); } fn h(n) { if n == 0 { return 0; } return h(n - 1) + 1;' '`h` calls itself more than 100 deep$'
told alike 'print(h(x)); } fn h(y) { return y + h(2.0 * y);' '`h` calls itself without end$' 'nothing changes of what is known'
told close 'assert_close(ones([2, 3]), ones([2, 4]));' 'sizes of `assert_close` do not fit: 3 and 4$' 'dimension 1 of this is 3' 'dimension 1 of this is 4'
told tuple_field 'let l = (1, 2); print(l.w);' 'a tuple of 2 has no field `w`' '^help: a tuple comes apart by names, `let \(a, b\) = ...;`, or by numbers'
told number_for_all 'w = 2.0;' '`w` is a tensor, this is a float' '^help: a tensor of one number is `full\(v, \[n, m\]\)`'
told parameter_set 'print(x); } fn h(v) { v = 2.0 * v; return v;' '`v` does not change: it is a parameter' '^help: a variable that begins as it is may change: `var now = v;`$'
told type_unsaid 'print(x); } fn h[t](v: t[2]) { return v;' 'there is no type `t`' '^help: what stands for a type says which: `\[t: float\]`'
told untitled 'print(x); } test { assert(true);' '^help: a test has a title: `test "adds"'
told layout_apart 'let y = x to @p S(0);' '^help: a layout stands behind a colon: `to @p : S\(0\)`$'
told result 'print(x); } fn h(y: f32[2]) -> f32[2] { y + 1.0 } fn i() { return 1;' '^help: what a function gives is returned$' '[|].* return y \+ 1\.0; \}'
told statement 'print(x); } fn h(y: f32[2]) { print(y) } fn i() { return 1;' '^help: end the line before with `;`$'
told equation 'print(x); }
// twice
fn h(y) = 2.0 * y;
fn i() {' '^help: the body of a function stands in braces'
told shape_in_parentheses 'print(x); } param z : f32(3) = zeros(); fn i() { return 1;' '^help: a shape stands in brackets: `f32\[3, 4\]`$'
printf 'fn g(x: f32[4] @ q, y: f32[4] @ q) -> (f32[4] @ q, f32 @ q) { return (x, sum(y)); }\nmain { print(1); }\n' >"$work/once.pml"
expect "a placement that is not there" 1 "$PMLC" check --diagnostics=short "$work/once.pml"
[ "$(grep -c '`q` is not known here' "$work/err")" = 1 ] && ok || bad "a placement that is not there is told more than once" "$work/err"
told brackets 'let [a, b] = x.shape;' '^help: several names stand in parentheses: `let \(a, b\) = ...;`$'
told of_list 'print(blocks.up);' '^help: take one of its 2 elements first: `blocks\[0\].up`$'
told ints 'print(sum([1, 2, 3]), max([1, 2]));' '`sum` takes a tensor, this is a list' '`max` takes a tensor, this is a list'
lacks err 'sum_along'
told bits 'print(bitwise_and(x, 1));' '^help: convert it: `as i32`$'
lacks err 'prelude'
told no_bits 'print(left_shift(iota(2), 1.5));' '^help: ints are wanted here'
told bits_of_64 'print([0x9E3779B97F4A7C15] as u64);' 'does not fit in 64 bits with a sign$' '^help: .*2\^64 less: `\(-7046029254386353131\) as u64`$'
told more_than_64 'print(99999999999999999999);' 'does not fit in 64 bits with a sign$'
lacks err '^help'
told shuffled 'let d = data.bytes("LICENSE") as u8[_]; for b in data.batches(d, size = 2, shuffle = true) { print(b); }' '^help: .*`shuffle = rng\(epoch\)`$'
told drawn 'print(uniform(rng(1), [2], dtype = i32));' '^help: draw whole numbers by `randint'
told quotient 'let y = 7 // 2;' '^help: `//` begins a comment; the whole quotient is `floor_div\(a, b\)`'
told quotient_in_a_call 'let y = max(7 // 2, 3 * (1 + 2));
    let z = 1;' '^help: `//` begins a comment; the whole quotient is `floor_div\(a, b\)`'
told comprehension 'let ys = [2 * i for i in 0..3];' '^help: a list grows in a loop'
told dictionary 'let y = {"a": 1};' '^help: braces hold statements'
told colon 'if true: print(x)' 'note: the body stands in braces$'
told again 'let y = remat(f)(x);' 'expected `\{`, found `\(`' '^help: what is computed again stands in braces: `remat \{ f\(x\) \}`'
told variance 'let x = ones([3]); print(var(x));' '^help: `var` begins a statement; the variance is called `variance`: `variance\(x\)`'
told plus 'var y = 1; y =+ 2;' '^help: a number has no `[+]` in front of it; `x [+]= 1` adds to a variable$'
told positive 'print(2.0 * +1.0);' '^help: a number has no `[+]` in front of it$'
told counted 'for (let i = 0; i < 3; i++) { print(i); }' '^help: a loop counts by itself: `for i in 0..10 { }`'
told by_position 'print(argmax(x, 0));' '^help: write `dim = ...`' 'argmax\(x, dim = 0\)'
told too_many 'print(reshape(x, [2, 1], 3));' '^help: it is called like this: `reshape\(x, shape\)`'
told sizes 'print(reshape(x, 2, 1));' '`reshape` takes one list of ints' 'reshape\(x, \[2, 1\]\)'
told parameters 'print(nn.linear(x, blocks[0].up, x, 3));' 'note: its parameters are `x`, `w` and `b`'
told gradient_minus 'let y = 2.0 * w - 0.1 * grad(f, wrt = (w))(x);' '^help: a gradient has a derivative for each param'
told key 'print(nn.dropout(x, 0.5));' '^help: a key is made of numbers, `rng\(1\)`'
told torch_expand 'let y = expand(x, 2);' '^help: `broadcast\(x, \[n, m\]\)` repeats x'
told torch_product 'let y = mm(x, x);' '^help: a product of matrices is `a @ b`'
told torch_item 'let y = item(x);' '^help: a finished tensor of one element'
told field_as 'print(x.astype(f32));' '^help: elements are converted by `as`: `x as f32`'
told called_type 'print(f32(x));' '`f32` is an element type and cannot be called' 'print\(f32\(x as f32\)\)' '[|] +---   [+]{6}$'
told lists 'print([1.0, 2.0] * [3.0, 4.0]);' '^help: a list of numbers becomes a tensor by `as`'
told list_turned 'print(-[1.0, 2.0]);' '^help: a list of numbers becomes a tensor by `as`'
told list_of_bools 'print(![true, false]);' '^help: a list of numbers becomes a tensor by `as`: `\[true, false\] as bool`'
told list_of_floats 'print(max([3.0, 1.0]));' '`max` takes a tensor, this is a list' '^help: a list of numbers becomes a tensor by `as`'
told names_all 'let all = ones([2, 2]); let z[i, j] = all[i, j] - 2.0; print(z);' '`all` wants bools' '^help: `all\[...\]` in front of an operand is a reduction: give the variable another name'
lacks err 'cannot be printed'
told joined 'print(concat([x, ones([2, 3])[0..2]], dim = 0), stack([w, ones([3])]));' 'of one shape: dimension 0 is 2 and 3$'
told append 'var xs = [1]; xs.append(3);' '^help: lists are joined'
told named_value 'let q = (a = 1, b = 2);' 'the layout of one axis stands here, this is an int' 'values that have names are a struct' '^help: to compare, write `==`'
told nowhere 'let z = 1; } place grid = ranks(0..2) as (tp = 2); param at : f32[4] : (tp=S(0)) = ones(); fn h() {' 'placement `ranks\(0..1\)` has no axis `tp`' '^help: what is declared without a placement is there'
told no_type 'let z = 1; } const c = 3; param w3 = 4; main {' '^help: a type stands between name and value: `w3 : f32'
told points 'print(x[..., 0]);' '^help: two points, `x\[.., 0\]`'
told called_struct 'let n = Block();' '`Block` is made of its fields: `up` and `down`' '^help: initial values are of what is declared: `param name : Block;`'
told field_left_out 'let n = Block(up = eye(2));' '`Block` needs its field `down`'
told field_unknown 'let n = Block(gate = eye(2));' '`Block` has no field `gate`' 'note: its fields are `up` and `down`$'
told field_twice 'let n = Block(eye(2), up = eye(2));' 'field `up` of `Block` is given twice'
told derivatives_walked 'let y = grad(h0)(x); for d in y.blocks { print(d); }' '^help: `each \(p, d\) in g \{ … \}` walks the derivatives'
told derivatives_counted 'let y = grad(h0)(x); print(length(y.blocks));' '^help: .*`length` of the list of params$'
told struct_walked 'for t in blocks[0] { print(t); }' '^help: `each x in s \{ … \}` walks the tensors of a struct$'
told text_and_bool 'print("x: " + true);' '^help: .*a bool as `format\(b\)`$'
told type_in_parentheses 'let b = mixed(bf16) { x };' '^help: the type stands without parentheses: `mixed bf16 \{'
told made_with_braces 'let b = Block{up: x};' '^help: a struct is made like a call, its fields by name: `Block\(x = 1.0\)`'
told made_new 'let b = new Block(x);' '^help: a struct is made like a call, by its name alone'
told turn 'for k in [1, 2, 3] { print(x[0..k]); }' '3 is out of range' '`k` is 3 in this turn$'
told first_turn 'for k in [3, 4] { print(x[0..k]); }' '3 is out of range'
lacks err 'in this turn'
told sum_of_gradient 'let g = grad(f, wrt = (w))(x); print(sum(g), shape(g));' '^help: .*: this one has `.w`' 'shape\(g.w\)'
told chosen 'print(argmax(zeros([2, 0]), dim = 1), argmin(zeros([0, 2]), dim = 1));' '`argmax` has no element to choose from'
lacks err '`argmin`'
told share 'print(quantile(x, 1.5));' '`quantile` takes a share of 0 to 1'
claimed() { # NAME CLAIM PATTERN...
	printf 'import std.data;\nmain { let d = data.csv("t.csv", %s; }\n' "$2" >"$work/$1.pml"
	name=$1
	shift 2
	expect "$name is wrong" 1 "$PMLC" check "$work/$name.pml"
	has err 'the dataset has [12] fields?, the claim has [12]' "$@"
}
claimed one_claim '["a", "b"]) as f32[_, 2]' 'the claim would be `\(f32\[_\], f32\[_\]\)`' '"t.csv", \[\["a", "b"\]\]\) as'
claimed counted '[64, 1]) as f32[_, 65]' 'the claim would be `\(f32\[_, 64\], f32\[_\]\)`' '"t.csv", \[65\]\) as'
claimed narrow '["a", "b"]) as i32[_]' ' as \(i32\[_\], i32\[_\]\);'
claimed two_claims '[["a", "b"]]) as (f32[_], f32[_])' 'note: each member of `columns` is a field'
told method 'print(blocks[0].f(x));' '^help: functions are called with what they work on: `f\(...\)`'
told gradient_of_value 'print(grad(f(x)));' '^help: what it gives is called: `grad\(f\)\(x\)`'
told round_index 'print(x.shape(0));' '^help: elements are taken in square brackets'
told float_labels 'print(loss.cross_entropy(blocks[0].up, x));' '^help: convert it: `as i32`'
told key_behind 'print(uniform([3], key = rng(1)));' 'here by its position'
told axis 'print(sum(x, axis = 0));' '^help: the parameter is called `dim`'
told no_key 'print(normal([4]));' '^help: draws take a key first' '^ .*normal\(rng\(1\), \[4\]\)'
told half 'let r = .5;' '^help: write `0.5`'
told prefix 'print(f"{x}");' '^help: a string is written without `f`'
told keyword 'let to = 3;' '`to` is a word of the language'
told a_place 'print(x to @left);' '^help: a placement is declared: `place left = ranks\(0..4\);`'
told place_of_a_call 'print(g(x)); } fn g[n](x: f32[n] @ on) { print(x);' '^help: a placement that each call brings is declared behind the name: `fn g\[on: place\]`'
told running_numbers 'var k = 0; while x[k] > 2.0 { k = k + 1; } let y : i32[2] = [k, 3]; print(y);' 'put side by side by `\[a, b\] as f32`'
told statement_read 'let y = save("a.safetensors"); print(y);' '`save` gives nothing here$' '^help: it is a statement of its own: `save\(...\);`$'
told logged_value 'print(log(1.0, 2.0));' '`log` gives nothing here$'
told rows_made_inside 'let z = ones([6]); print(microbatch(2) { sum(z * ones([6])) });' 'sizes of `\*` do not fit: 3 and 6$' '`z` has 6 rows, of which each of the 2 micro-batches takes 3' '^help: rows that the block makes itself are not cut'
told rows_of_a_part 'print(microbatch(2) { f(x) });' '`x` has 2 rows, of which each of the 2 micro-batches takes 1' '^help: leave the number of rows open'
told not_a_place 'print(x to @all);' '^help: a placement is declared: `place all = ranks\(0..4\);`'
told called 'print(mean((x, x)));' '`mean` takes a tensor, this is a tuple of 2' '^help: take its parts first'
lacks err '`rank`' '`volume`'
told element 'let l = [ones([2]), zeros([3])]; for i in 0..2 { print(sum(l[i])); }' 'which element this is must be known when compiling' '^help: a `const` is known; so is, in a function'
lacks err 'only variables, params and states'
told maybe_within 'var y = x; y[-1?] = 2.0; let k = 1; print(x[k + 1?]);' '.\?. stands behind a whole index, not within it' '^help: put it behind parentheses: `x\[\(i \+ 1\)\?\]`'
told member_number 'let g = grad(f)(x); print(g.0);' 'members are named, or counted by an index' '[|] .*print\(g\[0\]\);'
lacks err 'expected'
told dot_of_gradients 'let g = grad(f)(x); print(dot(g, g));' '`a` of `dot` is a tensor, this is a gradient' '^help: .*`optim.dot\(g, h\)`'
told moved_gradient 'print(grad(f)(x) to B);' 'only tensors are moved with `to`, this is a gradient' '^help: write .*for the derivative by'
told tensor_for_a_number 'print(scatter_add([0, 1] as i32, x, x));' '`rows` of `scatter_add` is `int`' 'wants one number'
lacks err 'convert it'
cat >"$work/axes.pml" <<'E2'
place grid = ranks(0..4) as (dp = 2, tp = 2);
param w : f32[8, 16] @ grid : (B, S(1)) = zeros();
param v : f32[8, 16] @ grid : S(1) = zeros();
main { print(sum(w) to B, sum(v) to B); }
E2
expect "layouts without axes" 1 "$PMLC" check "$work/axes.pml"
has err '`grid` has the axes `dp` and `tp`: say on which each of these holds' '^2 .*grid : \(dp=B, tp=S\(1\)\)' \
	'^help: write `\(dp=S\(1\)\)` or `\(tp=S\(1\)\)`'
cat >"$work/assigned.pml" <<'E2'
place g = ranks(0..4) as (x = 2, y = 2);
param i : f32[8] @ g : (x=S(0)) = ones();
main { var z = i; z[2..4] = i[0..2]; print(z); }
E2
expect "an assigned slice" 1 "$PMLC" check "$work/assigned.pml"
has err 'they are cut at different places: .* of `i\[0..2\]`' 'what comes of `i\[0..2\]` is'
lacks err '`b`'
cat >"$work/lines.pml" <<'E2'
struct Block { up : f32[2, 2] = ones() }
param blocks : [2] Block;
names hub { _ = "other"; }
main { load("a", names = hub); }
E2
expect "a line that is missing" 1 "$PMLC" check "$work/lines.pml"
has err '^help: if it is not in the file, say so: `blocks\[i\].up = none;`'
sed -i 's/_ = "other";/blocks[i].up = none;/' "$work/lines.pml"
expect "the line that the help says" 0 "$PMLC" check "$work/lines.pml"
# What functions of the library call among themselves is told by what the program has called.
cat >"$work/column.pml" <<'E2'
import std.linalg;
main { print(linalg.solve(eye(3), ones([4]))); let x = ones([2]); print(x[none]); }
E2
expect "a wrong column" 1 "$PMLC" check "$work/column.pml"
has err '^error\[PML0201\]: parameter `b` of `linalg.solve` is `t\[.., n\]`, this is f32\[4\]' '^help: `unsqueeze\(x, dim = d\)` adds a dimension'
lacks err '^error.*one_column'
told logic 'let m = x > 0.5 && w;' '`&&` wants bools, not `f32` elements' '[|] +let m = x > 0.5 && w != 0.0;'
told negated 'let m = !(x + w);' '`!` wants bools, not `f32` elements' '^help: where they are zero: `x == 0.0`'
# What no `@` puts anywhere.
printf 'place two = ranks(0..2);\nparam w : f32[2] = ones();\nmain { print(w + (ones([2]) to @two)); }\n' >"$work/placed.pml"
expect "placed is wrong" 1 "$PMLC" check "$work/placed.pml"
has err '^help: `w` is declared without a placement, which is rank 0: write `@ two` behind its type$'
printf 'place two = ranks(0..2);\nstruct Disc { w : f32[2] = ones() }\nparam judge : [2] Disc;\nmain { print(judge[1].w + (ones([2]) to @two)); }\n' >"$work/placed.pml"
expect "a field placed is wrong" 1 "$PMLC" check "$work/placed.pml"
has err '^help: `judge.1.w` is declared without a placement, which is rank 0: its struct takes one, `struct Disc\[p: place\] .*`judge : Disc\[two\]`$'
told elements 'var y = ones([2]) as f64; y[0] = max(x); print(y);' 'elements of `f64` are replaced by elements of `f32`' 'y\[0\] = max\(x\) as f64;'
cat >"$work/by_state.pml" <<'END'
state teacher : f32[2] = ones();
fn f() { return sum(teacher); }
main { print(grad(f, wrt = teacher)()); }
END
expect "no gradient is by a state" 1 "$PMLC" check "$work/by_state.pml"
has err '= note: `teacher` is a state, which is kept without a gradient' '^help: declare it as a `param`'
told scattered 'let y[iota(2)[k] < 2] = sum[k] x[k];' 'a factor of the result is a plain name' '^help: where data says which row a term belongs to, an op adds up: `op f\('
# A forgotten size is told once, wherever it stands.
name="forgotten sizes"
printf 'fn twice(x: f32[n, m]) -> f32[n, m] { return x * (n as f32); }\nmain { print(twice(ones([2, 3]))); }\n' >"$work/sizes.pml"
expect "$name" 1 "$PMLC" check "$work/sizes.pml"
has err 'a size is declared behind the name: `fn twice.n.`$' 'a size is declared behind the name: `fn twice.m.`$'
is "$name" 2 "$(grep -c '^error' "$work/err")"
told condition 'print(where(x, x, 0.0));' '`c` of `where` has bool elements, this has f32' '^help: a comparison gives bools: `x != 0.0`' '[|] .*where..x != 0.0., x, 0.0.'
told tuple_scaled 'let v = (1.0, x); print(0.1 * v);' 'not defined for a float and a tuple of 2' '^help: a tuple is taken apart first, `let .a, b. = ...;`, or computed with member by member'
told with_end 'for i in 1..=10 { print(i); }' '^help: a range has its first number and not its end: `1..11` is 1 to 10'
told placed_by_at 'let y = x @ all : (dp=S(0));' '^help: a value is brought to a placement by `to`: `x to @p : S'
told layout_without_to 'let y = 2.0 * x : S(0);' 'expected `;`, found `:`' '^help: the layout of a value stands behind `to`: `x to S.0.`, with a placement'
told split_twice 'print(x to S(0, 1));' '^help: `S.d.` splits one dimension; each axis of a mesh splits its own'
printf 'param layers : f32[4][8, 8] = normal();\nmain { print(sum(layers[0])); }\n' >"$work/listed.pml"
expect "a list behind" 1 "$PMLC" check "$work/listed.pml"
has err '^help: a list of tensors has its number in front: `.4. f32.8, 8.`$'
told saved 'save(w, "w.safetensors");' '`save` takes a path, this is ' '^ *= note: `save\(path, names = N\)`: all params as a .safetensors file$'
printf 'import std.data;\nmain { let d = data.csv("t.csv", columns = ["a"]) as f32; }\n' >"$work/rows.pml"
expect "a claim without rows" 1 "$PMLC" check "$work/rows.pml"
has err 'a number in each row is `f32\[_\]`'
# What has to be whole where it is shown is declared nowhere.
printf 'place p = ranks(0..2);\nstate x : f32[10] @ p : S(0) = zeros();\nmain { print(x); }\n' >"$work/whole.pml"
expect "a split tensor is printed" 1 "$PMLC" check "$work/whole.pml"
has err 'argument of `print` has to be `B`, but `x` is `S\(0\)`$' '^help: gather it'
lacks err 'declared'
told dataset 'let d = data.csv("a.csv", [2]) as f32[_, 2]; print(sum(d));' '`sum` takes a tensor, this is a dataset' '^help: the rows of a dataset are had in batches'
told dataset_scaled 'print(2.0 * (data.csv("a.csv", [2]) as f32[_, 2]));' 'not defined for a float and a dataset' '^help: the rows of a dataset are had in batches'
told sum_of_all 'print(unsqueeze(sum(x), dim = 2));' 'a tensor of 1 dimension has no dimension 2' '^ *= note: a single number is given, of no dimension: without `dim`, reductions like `sum`'
told norm_of_all 'print(softmax(norm(x)));' '`softmax` wants at least 1$' '^ *= note: a single number is given'

# A line of a tensor whose split only layouts say is told as of the tensor that the program names.
cat >"$work/lines_read.pml" <<'END'
place p = ranks(0..2);
param x : f32[8, 8] @ p : S(0) = ones();
param y : f32[8, 8] @ p : B = ones();
fn g(u) {
    var s = zeros([8]) to @p : B;
    for i in 0..8 { let r[j] = u[i, j] * u[j, i]; s = s + r; }
    return s;
}
main { print(sum(g(x @ y))); }
END
expect "lines that do not fit together" 1 "$PMLC" check "$work/lines_read.pml"
has err 'note: `u` is f32\[8, 8\] @ p : S\(0\), each rank f32\[4, 8\]; what is read of it here is f32\[8\] @ p : P\(sum\)' \
	'note: `u` is f32\[8, 8\] @ p : S\(0\), each rank f32\[4, 8\]; what is read of it here is f32\[8\] @ p : S\(0\)'
told reduction_called 'let m = ones([2, 3]); let c[i, j] = sum(k) m[i, k] * m[j, k]; print(c);' '^help: in index notation what a reduction goes over stands in brackets'
told remainder_word 'print(10 mod 3);' '^help: the remainder is `a % b`'
told half_an_index 'var k = 3; print(x[k / 2]);' '^help: `/` gives floats; `floor_div\(a, b\)`'
told half_a_range 'var k = 0; while k < 3 { print(x[k / 2..k / 2 + 1]); k += 1; }' 'a size is an int, this is a float' '^help: `/` gives floats; `floor_div\(a, b\)`'
told half_the_turns 'var k = 3; for i in 0..k / 2 { print(i); }' '^help: `/` gives floats; `floor_div\(a, b\)`'
told float_for_an_int 'print(iota(2.0));' 'wants an int$' '^help: write a whole number: `2`' '[|] +print\(iota\(2\)\);$'
told float_in_a_shape 'print(ones([2, 2.0]));' '^help: write a whole number: `2`'

# said FILE PATTERN...: what is said of a whole file.
said() {
	name=$1
	shift
	expect "$name is wrong" 1 "$PMLC" check "$work/$name.pml"
	has err "$@"
}
printf 'import std.optimm;\nmain { }\n' >"$work/module_nearly.pml"
said module_nearly '^help: did you mean `std.optim`' '[|] import std.optim;$'
printf 'place all = ranks(0:4);\nmain { }\n' >"$work/ranks_sliced.pml"
said ranks_sliced 'note: a range is written `0..4`$'
for axis in 'print(ones([4]) to @grid : (pp=S(0)));' 'print(grid.pp);' 'print(ones([4]) to @grid[pp = 0]);'; do
	printf 'place grid = ranks(0..4) as (dp = 2, tp = 2);\nmain { %s }\n' "$axis" >"$work/axis_named.pml"
	said axis_named 'has no axis `pp`' 'note: it has `dp` and `tp`$'
done
printf 'place grid = ranks(0..4);\nmain { print(ones([4]) @ grid); }\n' >"$work/product_with_place.pml"
said product_with_place '^help: `@` says in types where something is; `x to @grid` brings a tensor there$'
