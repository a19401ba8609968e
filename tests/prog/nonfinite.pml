// Infinities and NaN in sums, products and maxima, in a masked softmax, and in a training run that diverges: the same on every
// number of ranks. With --reproducible a sum is NaN as a whole where a term of it is not finite, so there the printed text is another one.
//% ranks 1 4 (2 3)
//% long
//% bits nonfinite
import std.loss;
import std.optim;

const N : int = 1;
place p = ranks(0..N);

param w : f32[6, 4] @ p = normal(std = 1.0);
param b : f32[4] @ p = zeros();

fn objective[n](x: f32[n, 6] @ p : S(0), t: i32[n] @ p : S(0)) -> f32 @ p : B {
    return loss.cross_entropy(x @ w + b, t) to B;
}

fn finite(x) { return abs(x) < 1e38; }

main {
    let rows = reshape(iota(42) as f32, [7, 6]) / 8.0 - 2.0;
    let zero = rows - rows;
    let ends = where(rows > 2.9, 1.0 / zero, where(rows < -1.9, -1.0 / zero, rows));
    let holes = where(rows > 3.0, zero / zero, rows);

    let x = rows to @p : S(0);
    let e = ends to @p : S(0);
    let h = holes to @p : S(0);
    print("finite", sum(x, dim = 0) to B, sum(x) to B);
    print("ends", max(e) to B, min(e) to B, max(e, dim = 0) to B, min(e, dim = 1) to B);
    print("sums", finite(sum(e) to B), finite(sum(h) to B), finite(sum(e, dim = 0) to B), finite(sum(h, dim = 0) to B), sum(h, dim = 1) to B);
    print("products", finite((e @ transpose(x to B)) to B), finite((transpose(h) @ x) to B), finite((transpose(x) @ h) to B));

    let masked = where(rows > 1.0, -1.0 / zero, rows) to @p : S(0);
    print("masked", softmax(masked) to B, sum(softmax(masked), dim = 0) to B, max(masked, dim = 1) to B);

    for step in 0..6 {
        let (l, g) = value_and_grad(objective)(x * pow(1e8, step as f32), (iota(7) % 4) as i32 to @p : S(0));
        optim.sgd(g, lr = 1e12);
        print("step", step, finite(l), l);
    }
    print("trained", finite(w), finite(b));
}
