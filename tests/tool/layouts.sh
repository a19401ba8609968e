# layouts.sh — what messages about layouts say: the axis at fault, why, and edits in the order of their bytes.
says() { # NAME BODY PATTERN...
	printf 'import std.nn;\nplace g = ranks(0..4) as (u = 2, v = 2);\nplace all = ranks(0..4);\nmain {\n    %s\n}\n' "$2" >"$work/$1.pml"
	name=$1
	shift 2
	expect "$name is wrong" 1 "$PMLC" check "$work/$name.pml"
	has err "$@"
}
says axis 'let y = (ones([4, 6]) to @g : (u=S(1), v=S(0))) @ (ones([6, 4]) to @g : (u=S(0))); print(y + (ones([4]) to @g : (v=S(0))) to B);' \
	'note: on `v`: `y` is split along dimension 0'
says parts 'let x = ones([4, 8]) to @all : S(0); let m = max(x, dim = 0); let s = sum(x, dim = 0); print(m + s to B);' \
	'`m` is an unfinished maximum and `s` an unfinished sum: parts join by one reduction'
says library 'let x = ones([4, 8]) to @all : P(prod); print(sum(x) to B);' '`sum` of its parts does not give parts of a product'
says cast 'let x = ones([4, 4]) to @all : S(1); print((x @ (ones([4, 4]) to @all : S(0))) as i32 to B);' 'cannot be used by `as i32`'
says twice 'let x = ones([6, 6]) to @all : S(0); print(sum(relu(x @ x) to B)); print(sum(pad(x, dim = 0) * 1.0) to B);' 'note: .x. is read along' '^help: gather it .*: `x to B`$'
expect "both places are edited" 0 "$PMLC" check --fix "$work/twice.pml"
grep -q 'relu((x to B) @ (x to B)) to B' "$work/twice.pml" && ok || bad "a name that stands twice is not edited"
says factors 'let x = ones([4, 4]) to @all : S(0); print(x @ x to B); print(sort(x) to B);' '`x` is read along dimension 0 twice'
lacks err '`[mkij]`'
says own 'let x = ones([4, 4]) to @all : S(0); let y[row, col] = sum[inner] x[row, inner] * x[inner, col]; print(y to B);' \
	'`x` is read along `row` \(dimension 0\) and along `inner` \(dimension 0\)'
says places 'let x = ones([6, 4]) to @all; print(x + (ones([6, 4]) to @g) to B);' '`x` is f32\[6, 4\] @ all' 'f32\[6, 4\] @ g$'
says order 'let x = ones([6, 4]) to @all : S(0); print(reshape(x, [2, 3, 4]) to B);' '^help: .*all-to-all.*: `x to S\(1\)' '^help: or .*all-gather.*: `x to B'
says slot 'let y = iota(4) to @all : S(0); print(max(y) to B); let k = sort(y);' '`sort` does not take `y`' '`y to B`'
says single 'let x = ones([1]) to @all : S(0); print(broadcast(x, [2, 3]) to B);' 'a dimension of one element is split'
printf 'place g = ranks(0..4) as (one = 1, tp = 4);\nmain { let k = ones([6, 2, 3]) to @g : (one=S(0), tp=S(1)); print(sum(reshape(k, [9, 4])) to B); }\n' >"$work/tie.pml"
expect "of equal costs the one that changes less" 1 "$PMLC" check "$work/tie.pml"
has err '^help: .*all-gather.*: `k to \(one=S\(0\)\)`'
says inner 'let w = ones([8, 2]) to @g : (v=S(0)); print(w + (ones([8, 2]) to @g : (u=S(0), v=S(0))) to B);' \
	'comes first: a mesh that names `v` before `u` moves none$'
printf 'place g = ranks(0..4) as (u = 2, v = 2);\nmain { let x = ones([4, 6]) to @g : (u=S(0), v=P(sum)); print(sum(x @ (ones([6, 8]) to @g : (v=S(1)))) to B); }\n' >"$work/noorder.pml"
expect "no order of axes is at fault" 1 "$PMLC" check "$work/noorder.pml"
lacks err 'comes first'
says cuts 'let x = ones([2, 4, 512, 8]) to @all : B; let q = x to S(2); print(sum(nn.attention(q, x, x)) to B);' '`q to B`' '`q to S\(1\)`'
# What a function of the library says of splits is quoted.
says split_tokens 'let x = ones([2, 4, 64, 8]) to @all : S(2); print(sum(nn.attention(x, x, x)) to B);' \
	'note: of `nn.attention`: split over batch or heads, nothing moves; .* `nn.ring_attention\(q, k, v, shards = …\)`'
says split_blocks 'let x = ones([2, 4, 2048, 8]) to @all : S(2); print(sum(nn.attention(x, x, x)) to B);' \
	'note: of `nn.attention`: split over batch or heads, nothing moves; .* `nn.ring_attention\(q, k, v, shards = …\)`'
says unequal 'let x = ones([9, 4]) to @all : S(0, shares = [1, 2, 3, 3]); let y = ones([9, 4]) to @all : S(0); print(sum(x + y) to B);' \
	'note: they are cut at different places: rank 0 has 0..1 along dimension 0 of `x` and 0..3 along dimension 0 of `y`$' \
	'^help: .*all-to-all.*: `x to S\(0\)`$' 'f32\[9, 4\] @ all : S\(0, shares = \[1, 2, 3, 3\]), ranks f32\[1, 4\] or f32\[2, 4\] or f32\[3, 4\]$'
printf 'place p = ranks(0..2);\nparam w : f32[64, 16] @ p : S(0, shares = [3, 1]) = normal();\nmain { print(sum(tanh(w)) to B); print(sum(w to S(0)) to B); }\n' \
	>"$work/imbalance.pml"
expect "a plan with unequal shares" 0 "$PMLC" plan "$work/imbalance.pml"
has out '^a rank of role p has .* of them, 1\.[1-9][0-9]* times the mean$' 'all-to-all .* 1.0 kB *1.0 kB *1.0 kB'
# Bytes are those of what moves in the end: a row from its owner, slices of what is gathered to be sliced, the rows that are put.
says a_row 'let w = ones([64, 4]) to @all : S(0); print(sum(relu(w[5])) to B);' 'help: finish the sum \(halo, 48 B sent per rank\): `w\[5\] to B`'
says cut_slices 'let a = ones([9, 3]) to @all : S(0, shares = [3, 2, 2, 2]); let b = ones([12, 3]) to @all : S(0); print(sum((a[0..6] * b[3..9]) to S(0)) to B);' \
	'help: convert both: .*to S\(0\)' 'help: or convert both: .*to B'
grep -q 'P(prod) (no byte' "$work/err" && bad "parts are made of whole values" || ok
says rows_by_index 'let t = ones([64, 4]) to @all : S(0); let i = iota(6) to @all; print(sum(relu(embed(t, i))) to B);' \
	'help: finish the sum \(row-gather, 144 B sent per rank\): `embed\(t, i\) to B`'
says computed_of_rows 'let t = ones([64, 4]) to @all : S(0); let i = iota(6) to @all; print(sum(relu(2.0 * embed(t, i))) to B);' \
	'help: finish the sum \(row-gather, 144 B sent per rank\): `2.0 \* embed\(t, i\) to B`'
says sliced_again 'let w = ones([64, 4]) to @all : S(0); let y = ones([60, 4]) to @all : S(0); print(sum(y * w[2..62]) to B);' \
	'help: split it otherwise \(halo, 16 B sent per rank\): `w\[2..62\] to S\(0\)`' \
	'help: or gather it \(halo, 16 B sent per rank\): `w\[2..62\] to B`'
says rows_added 'var z = ones([12]) to @all : S(0); let i = ones([12]) to @all : S(0); z[2..4] += i[0..2]; print(sum(z) to B);' \
	'help: or gather it \(all-gather, 24 B sent per rank\): `i\[0..2\] to B`'
grep -q '(z to' "$work/err" && bad "what is assigned to is edited" || ok
# What is assigned to was moved: what it was before stands for itself, elsewhere.
says moved_before 'let v = ones([8, 7, 5]) to @all : S(0); print(sum(f(v)) to B); } fn f(v) { var w = v to S(2); for i in 0..8 { w[i] = tanh(v[i]) to S(0); } return w;' \
	'note: `w` is f32\[8, 7, 5\] @ all : S\(2\)'
grep -q '(v to' "$work/err" && bad "what was moved is edited elsewhere" || ok
# Why a slice is in parts, however it is used: as an operand, behind a linear function, as an argument.
says one_row 'let w = ones([64, 4]) to @all : S(1); print(sum(exp(w[.., 2] * 3.0)) to B);' \
	'note: what stands at 2 along dimension 1 of `w` is on one rank, and the others have nothing of it'
says column_of_turns 'let w = ones([6, 8]) to @all : S(1); print(f(w)); } fn f(w) { var s = 0.0; for i in 0..8 { s += sum(exp(w[.., i])); } return s to B;' \
	'note: what stands at 0 along dimension 1 of `w` is on one rank'
says reversed 'let w = ones([64, 4]) to @all : S(0); print(sum(relu(flip(w, dim = 0))) to B);' 'note: the rows of `w` are read in reverse order'
says nested 'let w = ones([64, 4]) to @g : (u=S(0), v=S(0)); print(sum((ones([60, 4]) to @g : (u=S(0), v=S(0))) * w[2..62]) to B);' \
	'note: `u` and `v` both split dimension 0 of `w`: what a slice leaves is cut otherwise for each of `u`' \
	'help: finish the sum over `u` and `v` in shares \(halo, 16 B sent per rank\): `w\[2..62\] to \(u=S\(0\), v=S\(0\)\)`'
says reduced 'let w = ones([64, 4]) to @all : S(0); print(sum(exp(sum(w, dim = 0))) to B);' 'is an unfinished sum'
grep -q 'is on one rank' "$work/err" && bad "a sum is explained as a row" || ok
# Lines that `vmap` takes one after the other, and what makes it so.
says lines_shown 'let x = ones([4, 3]) to @all : S(0); print(sum(vmap(shown)(x)) to B); } fn shown(x: f32[3]) { var s = sum(x); for i in 0..3 { while s > i as f32 { s = s * 0.5; print(s); } } return s;' \
	'something is shown in a loop of any number of turns, within another loop, and not in a `for` with a `break`: so `vmap` takes one after the other'
# An edit of what the lines are of moves all of them: 32 rows of 3 from 4 ranks, not one of them.
says lines_moved 'let x = ones([32, 3]) to @all : S(0); print(sum(vmap(twice)(x)) to B); } fn twice(x: f32[3]) { var h = sum(x); for i in 0..2 { while h > 0.1 { h = tanh(h * 0.5); print(h); } } return h;' \
	'help: gather it \(all-gather, 288 B sent per rank\): `x to B`' 'so `vmap` takes one after the other'
says lines_split 'let x = ones([32, 8]) to @all : S(0); print(sum(vmap(largest)(x)) to B); } fn largest(x: f32[8]) { var s = max(x) to B; for i in 0..2 { while s > 0.1 { s = s * 0.5; print(s); } } return s;' \
	'help: split it otherwise \(all-to-all, 192 B sent per rank\): `x to S\(1\)`'
# Parts along two axes are finished in shares along both, as what was read around shards is split.
says along_both 'let x = ones([16, 16]) to @g : (u=S(0), v=S(1)); print(sum(exp(star(x) to (u=S(0), v=S(1)))) to B); } fn star(x) { return x[1..15, 0..14] + x[1..15, 2..16] + x[2..16, 1..15];' \
	'^help: or finish the sum over `u` and `v` in shares .*`… to \(u=S\(0\), v=S\(1\)\)`$'
# Splits that only other values of the program have are proposed to nobody.
says shares_of_others 'let x = ones([8, 6]) to @g : (u=S(0), v=S(1)); let y = x to (u=S(1), v=S(0)); print(sum(roll(x, 4, dim = 0) to (u=S(0), v=S(1))) to B, sum(log(sum(exp(y), dim = 1))) to B);' \
	'^help: or finish the sum over `u` in shares .*: `sum\(exp\(y\), dim = 1\) to \(u=S\(0\), v=S\(0\)\)`$'
lacks err 'shares ='
# What a `to` behind it fetches moves least and stands first; none is of use inside of a call, or behind an assignment.
says fetches 'let x = ones([8, 6]) to @all : S(0); let d[i, j] = x[i, j] - x[i + 1, j]; print(max(d) to B);' \
	'^help: fetch what lies around the shards: `to S\(0\)` behind it$' '^help: or gather it'
says fetches_nowhere 'let x = ones([8, 6]) to @all : S(0); print(sum(logcumsumexp(x, dim = 0)) to B);' '^help: split it otherwise'
lacks err 'fetch what lies'
# A column beside a row: the column is shown as it is written, and what comes of both.
says column 'let x = ones([4, 1]) to @all : S(0); let y = ones([4]) to @all : S(0); print(sum(x - y) to B);' \
	'f32\[4, 1\] @ all : S\(0\), each rank f32\[1, 1\]' 'note: a dimension of extent 1, as `x` has one, fits any: the result is f32\[4, 4\]$'
says line 'let x = ones([4, 1]) to @all : S(0); let y = ones([4, 4]) to @all : S(0); print(sum(reshape(x, [4]) - y) to B);' 'each rank f32\[1\]$'
lacks err 'extent 1'
# Where the result goes counts too: what is not split as its `to` says is converted, not what is.
says wanted_behind 'let x = ones([9, 9]) to @all : S(1); let y = x + transpose(x) to S(1); print(sum(y) to B);' \
	'^help: split it otherwise .*: `transpose\(x\) to S\(1\)`$' 'x \+ \(transpose\(x\) to S\(1\)\) to S\(1\);'
says wanted_nowhere 'let x = ones([9, 9]) to @all : S(1); let y = x + transpose(x); print(sum(y) to B);' '^help: split it otherwise .*: `x to S\(0\)`$'
says fetched_behind 'let x = ones([9]) to @all : S(0); let y[i] = x[i] - x[i - 1]; print(sum(y) to B);' \
	'^help: fetch what lies around the shards' 'let y\[i\] = x\[i\] - x\[i - 1\] to S\(0\);'
says moved_at_a_point 'let x = ones([9]) to @all : S(0); let y[i] = (x[i] to B) + 1.0; print(sum(y) to B);' \
	'^help: `to` moves whole tensors: in front of this, `let z = x to B;`, or behind all of it'
# Behind all that is computed of what is read around shards, whatever part of it the message is about.
says fetched_behind_all 'var u = ones([100]) to @all : S(0); for t in 0..3 { u = u + 0.1 * (roll(u, 1) - 2 * u + roll(u, -1)); } print(sum(u) to B);' \
	'^help: fetch what lies around the shards' 'u = u \+ 0.1 \* \(roll\(u, 1\) - 2 \* u \+ roll\(u, -1\)\) to S\(0\);'
lacks err '^help: or'
# A dimension that is not there: counted from 1, or of a number.
says split_too_far 'let x = ones([3, 4]) to @all : S(2); print(x to B);' '^help: dimensions are counted from 0, so the last one is `S\(1\)`$' ' to @all : S\(1\);'
says split_number 'let x = sum(ones([3, 4]) to @all : S(0)) to S(0); print(x);' '^help: a number is not split' ' to B;'
says axis_of_a_line 'let x = ones([3, 4]) to @all : (all=S(0)); print(x to B);' '^help: its one axis has no name: '
# Axis by axis, what a transfer takes along the others may be no layout of the value yet.
cat >"$work/axes.pml" <<-'END'
	place r = ranks(1..4);
	place h = ranks(0..2);
	place v = ranks(0..4) as (b = 2, a = 2);
	op ahead(u[i]) -> [i] = u[(i + 1)?] - 0.5 * u[(i + 2)?];
	fn f(x: f64[2] @ v : (b=S(0), a=S(0)), y: f64[2] @ r : S(0), z: f64[2] @ h : S(0)) {
	    var l = 0.0;
	    let (w, one) = (ahead(z) to S(0), x[0]);
	    let far = ahead(w) to @r : B;
	    l += (one to @r : B);
	    l += (sum(far * reshape(cos((iota(2) as f64) * 0.37 + 2.0), [2])) to @r : B);
	    return l to @r : B;
	}
	main {
	    let x = reshape(sin((iota(2) as f64) * 1.7 + 2.0), [2]) to @v : (b=S(0), a=S(0));
	    let y = reshape(sin((iota(2) as f64)), [2]) to @r : S(0);
	    let z = reshape(sin((iota(2) as f64) * 0.9 + 4.0), [2]) to @h : S(0);
	    let (l, g) = value_and_grad(f, wrt = ("x", "y", "z"))(x, y, z);
	    print(l);
	    print(g[1] to B, g[2] to B);
	}
END
expect "gradients over placements of several axes have layouts" 0 "$PMLC" plan "$work/axes.pml"
printf 'place all = ranks(0..2);\nparam w : f32[4, 4] @ all : S(0) = ones();\nparam b : f32[4] @ all : S(0) = ones();\nfn f(x: f32[4, 4] @ all : S(1)) { let h = x @ w; return mean(relu(h + b)) to B; }\nmain { print(grad(f)(ones([4, 4]) to @all : S(1))); }\n' >"$work/fewest.pml"
expect "other mistakes of the program do not hide what mends this one" 1 "$PMLC" check "$work/fewest.pml"
has err '^help: finish the sum in shares .*: `h to S\(1\)`$' '^help: or finish the sum .*: `h to B`$'
lacks err 'b to P'
says once_in 'let x = ones([4, 4]) to @all : S(0); let b = ones([4]) to @all : S(0); print(prod(x, dim = 0) * b to B);' \
	'^help: count it once in the product .*: `b to P\(prod\)`$'
printf 'place all = ranks(0..2);\nparam w : f32[4, 2] @ all : S(0) = ones();\nfn f[n](x: f32[n, 4] @ all : S(0)) { return mean(x @ w); }\nmain { print(f(ones([6, 4]) to @all : S(0))); }\n' >"$work/shared_param.pml"
expect "what is forgotten further on makes no two conversions of one" 1 "$PMLC" check "$work/shared_param.pml"
has err '^help: gather it \(all-gather, 16 B sent per rank\): `w to B`$'
lacks err 'both'
