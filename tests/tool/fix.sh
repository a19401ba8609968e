# fix.sh — `pmlc check --fix`: programs become right, or stay as they were.
cat >"$work/broken.pml" <<'END'
import std.data;

place g = ranks(0..4) as (dp = 2, tp = 2);
param w : f32[8, 8] @ g : (tp=S(0)) = ones();

fn f(x: f32[8, 8] @ g : (dp=S(0))) -> f32[8, 8] @ g : (dp=S(0)) {
    let y = relu(x @ w)
    return softmax(y);
}

main {
    let x = uniform(rng(1), [8, 8]) to @g : (dp=S(0));
    let k = 3;
    print(sum(f(x)) to B, kk);
    print(sum(f(x)));
    let z = x + (x to (dp=S(1)));
    print(sum(z) to B);
}

test "halves" {
    let y = ones([8]) to @g : (dp=S(0));
    assert(sum(y) == 8.0);
}
END
cp "$work/broken.pml" "$work/a.pml"
expect "fix shows a diff" 0 "$PMLC" check --fix=print "$work/a.pml"
has out '^--- .*a.pml$' '^@@ -4,12 \+4,12 @@$|^@@ ' '^-    let y = relu\(x @ w\)$' '^\+    let y = relu\(x @ w to \(dp=S\(0\)\)\);$' \
	'^\+    print\(sum\(f\(x\)\) to B, k\);$' '^ main \{$'
has err 'a.pml:7: PML0002: ' 'a.pml:14: PML0101: did you mean `k`' 'a.pml:7: PML0307: .*all-reduce, 128 B' 'a.pml:22: PML0307: .*sum\(y\) to B'
cmp -s "$work/a.pml" "$work/broken.pml" && ok || bad "--fix=print changes the file"
cp "$work/out" "$work/diff"
expect "fix writes" 0 "$PMLC" check --fix "$work/a.pml"
lacks out .
expect "what was fixed compiles" 0 "$PMLC" check "$work/a.pml"
cmp -s "$work/a.pml" "$work/broken.pml" && bad "--fix leaves the file" || ok
if command -v patch >/dev/null; then
	cp "$work/broken.pml" "$work/patched.pml"
	patch -s "$work/patched.pml" <"$work/diff" && cmp -s "$work/a.pml" "$work/patched.pml" && ok || bad "the diff is not what is written"
fi
cp "$work/a.pml" "$work/once.pml"
expect "nothing left to fix" 0 "$PMLC" check --fix "$work/a.pml"
cmp -s "$work/a.pml" "$work/once.pml" && ok || bad "a right file changes"
lacks err .

# The cheaper of two: a reduce-scatter where the result may be split.
cat >"$work/cheap.pml" <<'END'
place all = ranks(0..2);
main {
    let a = ones([4, 8]) to @all : S(1);
    let b = ones([8, 6]) to @all : S(0);
    print(sum(relu(a @ b)) to B);
}
END
expect "the cheapest help is taken" 0 "$PMLC" check --fix "$work/cheap.pml"
grep -q 'relu(a @ b to S(.))' "$work/cheap.pml" && ok || bad "not the cheapest: $(grep relu "$work/cheap.pml")"

# A function of the library reads an argument twice in one operator: the edit is at the call.
cat >"$work/twice.pml" <<'END'
place all = ranks(0..2);
main {
    let y = sum(uniform(rng(1), [4, 6]) to @all : S(0), dim = 0);
    print(norm(y), norm(2.0 * y, dim = 0));
}
END
expect "arguments are edited that the library reads twice" 0 "$PMLC" check --fix "$work/twice.pml"
grep -q 'norm(y to [SB].*norm(2.0 \* y to [SB].*dim = 0)' "$work/twice.pml" && ok || bad "edited otherwise: $(grep norm "$work/twice.pml")"

# Fields of layers and elements of lists are edited where a function reads them.
cat >"$work/fields.pml" <<'END'
place all = ranks(0..2);
struct Layer { up : f32[6, 6] @ all : S(0) = normal(std = 0.3), b : f32[6] @ all : S(0) = zeros() }
param layers : [3] Layer;
param ws : [3] f32[6, 6] @ all : S(0) = normal(std = 0.3);
fn layer(x, w: Layer) { return x + tanh(x @ w.up + w.b); }
fn model(x) {
    var h = x;
    for i in 0..3 { h = layer(h, layers[i]); }
    for i in 0..3 { h = tanh(h @ ws[i]); }
    return mean(h * h) to B;
}
main { print(model(ones([4, 6]) to @all : S(0))); }
END
expect "fields and elements" 0 "$PMLC" check --fix "$work/fields.pml"
grep -q '(w\.[a-z]* to [BP]' "$work/fields.pml" && grep -Fq '(ws[i] to B)' "$work/fields.pml" && ok ||
	bad "edited otherwise: $(grep tanh "$work/fields.pml")"

# A call that finds fault with one argument after the other, and hides what is wrong behind it.
cat >"$work/hides.pml" <<'END'
place all = ranks(0..2);
param g : f32[6] @ all : S(0) = ones();
param s : f32[6] @ all : S(0) = zeros();
fn model(x) { return mean(layernorm(x, g, s)) to B; }
main {
    print(model(ones([4, 6]) to @all : S(0)));
    print(sum(g * g));
    print(sum(s));
}
END
expect "one argument after the other" 0 "$PMLC" check --fix "$work/hides.pml"
grep -q 'layernorm(.* to .*)' "$work/hides.pml" && grep -Fq 'sum(g * g) to B' "$work/hides.pml" && ok || bad "edited otherwise: $(cat "$work/hides.pml")"

# What cannot be cured keeps the file as it is.
sed 's/let k = 3;/let k = nothing_like_it;/' "$work/broken.pml" >"$work/half.pml"
cp "$work/half.pml" "$work/half.before"
expect "a message without a help" 1 "$PMLC" check --fix "$work/half.pml"
has err 'error\[PML0101\]' 'stays as it was'
cmp -s "$work/half.pml" "$work/half.before" && ok || bad "a file that cannot be cured changes"
expect "no such file" 1 "$PMLC" check --fix "$work/none.pml"
expect "another way to fix" 2 "$PMLC" check --fix=all "$work/a.pml"

# Edits of imported files, next to those of the file itself: all or none.
mkdir -p "$work/m/inc"
printf 'place all = ranks(0..2);\nfn broken(x: f32[4] @ all : S(0)) {\n    let y = sum(x)\n    return tanh(y);\n}\n' >"$work/m/inc/part.pml"
cp "$work/m/inc/part.pml" "$work/m/part.before"
printf 'import part;\nmain {\n    let x = ones([4]) to @part.all : S(0);\n    print(part.broken(x), sum(x));\n}\n' >"$work/m/whole.pml"
cp "$work/m/whole.pml" "$work/m/whole.before"
expect "a diff of two files" 0 "$PMLC" check --fix=print -I "$work/m/inc" "$work/m/whole.pml"
has out '^--- .*whole.pml$' '^--- .*part.pml$' '^\+    return tanh\(y to B\);' '^\+    let y = sum\(x\);' '^\+    print\(part.broken\(x\), sum\(x\) to B\);'
cp "$work/out" "$work/m/diff"
cmp -s "$work/m/inc/part.pml" "$work/m/part.before" && cmp -s "$work/m/whole.pml" "$work/m/whole.before" && ok || bad "--fix=print changes files"
expect "mistakes in two files" 0 "$PMLC" check --fix -I "$work/m/inc" "$work/m/whole.pml"
expect "both compile" 0 "$PMLC" check -I "$work/m/inc" "$work/m/whole.pml"
sed 's/sum(x))/sum(zz))/' "$work/m/whole.before" >"$work/m/whole.pml"
cp "$work/m/part.before" "$work/m/inc/part.pml"
expect "one of two files cannot be cured" 1 "$PMLC" check --fix -I "$work/m/inc" "$work/m/whole.pml"
cmp -s "$work/m/inc/part.pml" "$work/m/part.before" && ok || bad "an imported file changes though the program is wrong"
cp "$work/m/whole.before" "$work/m/whole.pml"
if [ "$(id -u)" -ne 0 ]; then
	chmod 500 "$work/m/inc"
	expect "a folder that cannot be written" 1 "$PMLC" check --fix -I "$work/m/inc" "$work/m/whole.pml"
	cmp -s "$work/m/whole.pml" "$work/m/whole.before" && ok || bad "one file of two changes"
	chmod 700 "$work/m/inc"
fi

# What stands behind a move, variables from before, a byte order mark.
printf '\357\273\277place all = ranks(0..4);\nmain {\n    let y = iota(4) to @all : S(0);\n    print(argmax(y), sort(y)[0]);\n    print((zeros([1, 4], i64) to @all : S(0)) + y);\n}\n' >"$work/moves.pml"
expect "operands that are moved already" 0 "$PMLC" check --fix "$work/moves.pml"
expect "which then compile" 0 "$PMLC" check "$work/moves.pml"

# Warnings of other places, CRLF, no line feed at the end, an empty file.
printf 'main {\r\n    let x = 3\r\n    print(x);\r\n}' >"$work/crlf.pml"
expect "lines that end with CR LF" 0 "$PMLC" check --fix "$work/crlf.pml"
grep -q 'let x = 3;' "$work/crlf.pml" && ok || bad "CRLF: $(cat "$work/crlf.pml")"
: >"$work/empty.pml"
expect "an empty file" 0 "$PMLC" check --fix=print "$work/empty.pml"
chmod 640 "$work/once.pml" && sed -i 's/to B, k)/to B, kk)/' "$work/once.pml"
expect "the mode stays" 0 "$PMLC" check --fix "$work/once.pml"
[ "$(stat -c %a "$work/once.pml")" = 640 ] && ok || bad "the mode changes"

# Arguments in another order, and lists without brackets.
cp "$here/../diag/arguments_in_another_order.pml" "$work/order.pml"
expect "arguments in another order" 0 "$PMLC" check --fix "$work/order.pml"
expect "which then compile, too" 0 "$PMLC" check "$work/order.pml"

# What is added to keeps its elements: the other side is converted.
cat >"$work/added.pml" <<'END'
state count : i32 = zeros(dtype = i32);
state rows : i32[3] = zeros(dtype = i32);
param w : f32[3] = ones();
main {
    count += sum(iota(3));
    rows += iota(3);
    rows[0] += sum(iota(3));
    w -= 2.0 * ones([3], dtype = f64);
    print(count, rows, w);
}
END
expect "elements are converted" 0 "$PMLC" check --fix "$work/added.pml"
expect "what was converted compiles" 0 "$PMLC" check "$work/added.pml"
grep -q 'count += sum(iota(3)) as i32;' "$work/added.pml" && ok || bad "not converted: $(grep count "$work/added.pml")"

# What a config makes unknown is known as a const: sizes, of batches too, and what is computed from them.
cat >"$work/sizes.pml" <<'END'
import std.data;

/// rows of a batch
config rows : int = 2;    /// and no more
config last : int = 1;
const WIDTH : int = last + 1;

main {
    for x in data.batches(data.csv("table.csv", [WIDTH]) as f32[_, 2], size = rows) { print(sum(x, dim = last)); }
    let twice = 2 * rows;
    print(ones([twice]), split(rng(1), last));
}
END
expect "configs become consts" 0 "$PMLC" check --fix "$work/sizes.pml"
grep -q '^const rows : int = 2;    /// and no more$' "$work/sizes.pml" && grep -q '^const last : int = 1;$' "$work/sizes.pml" && ok || bad "$(cat "$work/sizes.pml")"

# What is assigned is declared by `var`; sizes are declared behind the name, in front of placements.
cat >"$work/declared.pml" <<'END'
struct Layer[on: place] { w : f32[n, m] @ on = ones() }
fn f(x: f32[n, m]) { return sum(x); }
main {
    let total = 0.0;
    for i in 0..3 { total = total + f(ones([2, 3])); }
    print(total);
}
END
expect "sizes and variables are declared" 0 "$PMLC" check --fix "$work/declared.pml"
grep -q '^struct Layer.n, m, on: place. {' "$work/declared.pml" && grep -q '^fn f.n, m.(x' "$work/declared.pml" &&
	grep -q '^    var total = 0.0;$' "$work/declared.pml" && ok || bad "$(cat "$work/declared.pml")"

# Two operands of the library, neither of which fits further on in the call if the other stays as it is: both are moved at once, not each in turn for ever.
cat >"$work/attends.pml" <<'END'
import std.nn;
place p = ranks(0..4);
param a : f64[2, 2, 6, 4] @ p : S(2) = normal();
param b : f64[2, 2, 6, 4] @ p : S(3) = normal();
param c : f64[2, 2, 6, 4] @ p : S(1) = normal();
main { print(sum(nn.attention(a, b, c, causal = false) to S(1)) to B); }
END
expect "both operands are moved" 0 "$PMLC" check --fix "$work/attends.pml"
has err 'convert both: `a` to S\(1\) .* and `b` to S\(1\)'
grep -q 'nn.attention(a to S(1), b to S(1), c, causal = false)' "$work/attends.pml" && ok || bad "both operands are moved: $(tail -1 "$work/attends.pml")"

# Axes of one rank: what changes them alone sends nothing and seldom cures, so it is not tried before what does.
cat >"$work/single.pml" <<'END'
place all = ranks(0..4) as (x = 1, y = 2, z = 2);
state w : f64[6, 3] @ all : B = zeros();
state u : f64[7, 3] @ all : (x=S(1), y=S(1), z=S(0)) = zeros();
fn net(x: f64[7, 3] @ all : (x=S(1), y=S(1), z=S(0))) {
    let h1 = square(x) to (x=S(0, shares = [1]), y=S(0), z=S(1));
    let h2 = logcumsumexp((h1 + 0.7 * reshape(cos((iota(21) as f64) * 0.33), [7, 3])), dim = 1) to (x=S(1, shares = [1]), y=S(0, shares = [2, 1]), z=S(1));
    let h3 = (h2[1..7, ..] * h2[0..6, ..]) to (x=S(0), y=S(1), z=B);
    return h3;
}
fn loss(x: f64[7, 3] @ all : (x=S(1), y=S(1), z=S(0))) { let y = net(x) to B; return sum(y * w + 0.5 * y * y); }
main { print(net(u) to B, grad(loss, wrt = "x")(u) to B); }
END
expect "what changes axes of one rank is tried last" 0 "$PMLC" check --fix "$work/single.pml"
expect "a program that was mended along axes of several ranks" 0 "$PMLC" check "$work/single.pml"

# Where all ranks are one, what would cure is tried all the same.
cat >"$work/folded.pml" <<'END'
place all = ranks(0..4) as (y = 2, z = 2);
state a : f64[4, 4] @ all : (y=S(0)) = zeros();
state b : f64[4, 4] @ all : (y=S(1)) = zeros();
main { print(sum(a * b) to B); }
END
expect "helps of a folded program" 0 "$PMLC" check --ranks=1 --fix "$work/folded.pml"
expect "a folded program that was mended" 0 "$PMLC" check "$work/folded.pml"

# Several operands are wrong in one call, where an axis has one rank: what says something is moved, and what mends the first mistake, not what leaves it and
# hides those behind it.
for layouts in '(a=S(0), b=S(0), c=S(1)) (a=P, b=B, c=P) (a=S(0), b=P, c=P)' '(a=P, b=S(0), c=B) (a=S(0), b=B, c=S(0)) (a=B, b=B, c=P)' \
	'(a=B, b=S(1), c=S(1)) (a=S(0), b=B, c=S(0)) (a=S(0), b=P, c=P)'; do
	echo "$layouts" | sed 's/) (/)\n(/g' >"$work/three"
	cat >"$work/norm.pml" <<-END
		place m = ranks(0..4) as (a = 2, b = 1, c = 2);
		main {
		    let x = uniform(rng(1), [8, 12]) to @m : $(sed -n 1p "$work/three");
		    let g = uniform(rng(2), [12]) to @m : $(sed -n 2p "$work/three");
		    let b = uniform(rng(3), [12]) to @m : $(sed -n 3p "$work/three");
		    print(sum(layernorm(x, g, b)) to B);
		}
	END
	expect "three operands, $layouts" 0 "$PMLC" check --fix "$work/norm.pml"
	expect "three operands compile" 0 "$PMLC" check "$work/norm.pml"
done

# A reshape in a function of the library that keeps no split: what the call is given is moved.
cat >"$work/tiled.pml" <<'END'
place all = ranks(0..4) as (x = 2, y = 2);
state a : f64[9, 9] @ all : (x=S(1), y=S(1)) = zeros();
main { print(sum(tanh(tile(a, [1, 3]))) to B, sum(repeat(a, 3)) to B); }
END
expect "arguments of the library's reshapes are moved" 0 "$PMLC" check --fix "$work/tiled.pml"
expect "a reshape that was mended" 0 "$PMLC" check "$work/tiled.pml"
grep -q 'tile(a to .*, \[1, 3\])' "$work/tiled.pml" && grep -q 'repeat(a to .*, 3)' "$work/tiled.pml" && ok || bad "$(cat "$work/tiled.pml")"

# What `vmap` calls for each line is written for a line: edits in it number dimensions so, and split no lines.
cat >"$work/mapped.pml" <<'END'
place all = ranks(0..4) as (a = 2, b = 2);
state x : f64[4, 6, 8] @ all : (a=S(0), b=S(2)) = zeros();
state y : f64[4, 6, 8] @ all : (a=S(2), b=S(1)) = zeros();
fn last(x) { return flip(x, dim = 0); }
fn g(x) { return tanh(flip(x, dim = 1)); }
fn h(x) { let y = reshape(x, [48]); return sum(y * y); }
main { print(sum(vmap(g)(x)) to B, sum(vmap(h)(x)) to B, sum(vmap(last)(y) to B)); }
END
expect "functions for lines are mended" 0 "$PMLC" check --fix "$work/mapped.pml"
expect "functions for lines that were mended" 0 "$PMLC" check "$work/mapped.pml"
grep -q '^fn last(x) { return flip(x, dim = 0) to (a=S(1).*); }$' "$work/mapped.pml" && ok || bad "edited otherwise: $(cat "$work/mapped.pml")"
