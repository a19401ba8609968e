// What main computes in front of a loop, placed or on no rank yet, is the same in every turn: products, draws, solutions, tables,
// values of an outer loop, of a batch, for a loop of no turn and one that ends early.
//% ranks 1 3 (2 4)
//% also --reproducible
import std.linalg;
import std.data;
const N : int = 1;
place p = ranks(0..N);
param w : f32[12] @ p = full(0.1);

fn error(b: f32[12, 12] @ p : S(0)) -> f32 @ p : B { return mean(square(b @ w - 1.0)) to B; }
fn step(b) {
    let (l, g) = value_and_grad(error)(b);
    w -= 0.05 * g.w;
    return l;
}
main {
    let a = normal(rng(1), [12, 12]);
    let k = a @ transpose(a) / 12.0 + eye(12);
    let root = linalg.cholesky(k);
    let order = randint(rng(2), [12], 0, 12);
    let shuffled = root[order];
    for i in 0..3 { print(step(shuffled)); }
    for epoch in 0..2 {
        let noisy = k + 0.1 * normal(rng(epoch), [12, 12]) @ root;
        for i in 0..3 {
            if i == 2 && epoch == 1 { break; }
            print(epoch, i, step(noisy));
        }
        print(sum(noisy));
    }
    let placed = (k @ k) to @p : S(0);
    for i in 0..2 { print(step(placed / 10.0 + k)); }
    for i in 0..0 { print(step(root)); }
    var x = k;
    for i in 0..3 {
        x = 0.5 * (x @ root) / 2.0;
        print(step(x), step(root));
    }
    let digits = data.csv("examples/data/digits.csv.gz", [64, 1]) as (f32[_, 64], i32[_]);
    for (d, label) in data.batches(digits[0..24], size = 12) {
        let c = transpose(d) @ d / 1000.0;
        let m = (d @ transpose(d) / 1000.0) to @p : S(0);
        var v = ones([64]);
        var u = ones([12]) to @p;
        for i in 0..4 {
            v = c @ v / norm(c @ v);
            u = (m @ u to B) / norm(u);
            print(v[20], step(d[0..12, 20..32] / 16.0 @ k));
        }
        print(sum(u), max(c));
    }
}
