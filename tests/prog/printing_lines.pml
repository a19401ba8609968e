// print, assert and log in what `vmap` calls for each line: once for each line, in their order, whether the lines are computed at once or are turns of a
// loop, in derivatives, in micro-batches and outside of both. What is assigned before `vmap` is what derivatives in it read.
//% ranks 1 (2) 3
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
param w : f32[2] @ p = ones();

fn square_of(x) { print("sum", sum(x), 7); assert(sum(x) > -100.0, message = "small"); return sum(w * x * x); }
fn split_square(x) { print("whole", sum(x) to B, x[0] to B); return sum(w * x * x); }
fn all(xs) { return sum(vmap(square_of)(xs)); }
fn halved(x) { var h = x; while sum(h) > 0.5 { h = 0.5 * h; print("half", h); } return sum(h); }
fn rows(x) { print("rows of", x[0]); return sum(vmap(square_of)(reshape(x, [2, 1]) * ones([2]))); }
fn positive(x) { assert(length([1, 2]) == 2); assert(shape(x)[0] == 2); return max(x); }

main {
    let xs = reshape(iota(6) as f32, [3, 2]) to @p;
    print(vmap(square_of)(xs));
    print(grad(all, wrt = "xs")(xs));
    print(vmap(halved)(xs), vmap(grad(halved))(xs));
    print(vmap(split_square)(xs to S(0)) to B);
    print(vmap(rows)(xs), vmap(positive)(xs));
    for i in 0..2 { print(sum(vmap(square_of)(xs * i))); }
    print(microbatch(3) { all(xs) / 3.0 });
    w = 2.0 * w;
    print(vmap(grad(split_square, wrt = "x"))(xs));
    for i in 0..2 { w -= 0.1 * mean(vmap(grad(square_of, wrt = w))(xs).w, dim = 0); }
    print(w);
}
