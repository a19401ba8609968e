// What several lines of main read, on no rank yet, is computed by the first of them: in straight lines, arms, turns of the host,
// of a batch in use, of loops of the graph, on one placement and on others.
//% ranks 1 3 (2 4)
//% also --reproducible
import std.linalg;
import std.data;
const N : int = 1;
config scale : float = 0.5;
place p = ranks(0..N);
param w : f32[12] @ p = full(0.1);

fn powers(a, c) {
    var b = a;
    for k in 0..9 { b = (0.5 * b) @ a / 6.0 + c * k; }
    return b;
}
main {
    let a = normal(rng(1), [12, 12]);
    let k = a @ transpose(a) / 12.0 + eye(12);
    let root = linalg.cholesky(k);
    print(sum(root)); print(max(root)); print(root[3, 2]);
    print(sum(root @ w)); print(max(root to @p : S(0)) to B);
    print(sum(powers(a, 1.0)), max(powers(a, 1.0)), min(powers(a, 2.0)));
    var n = 2;
    if sum(w) > 0.0 { print(sum(k @ root)); n = n + 1; } else { print(max(k @ root)); }
    print(min(k @ root));
    for i in 0..n {
        let b = (k * scale) @ normal(rng(i), [12, 12]);
        print(sum(b)); print(max(b));
        if i == 1 { print(min(b)); continue; }
        print(mean(b), sum(k @ k));
    }
    var moving = k @ k;
    print(sum(moving)); moving = moving @ k; print(sum(moving)); print(max(moving)); moving = k @ k; print(max(moving));
    let digits = data.csv("examples/data/digits.csv.gz", [64, 1]) as (f32[_, 64], i32[_]);
    for (d, label) in data.batches(digits[0..12], size = 6) {
        let x = d[.., 20..32] / 16.0;
        let y = x @ k @ transpose(x);
        print(sum(y)); print(max(y));
        if sum(y) > 0.0 { print(min(y)); }
        w = w * 0.5 + 0.01;
        print(sum(y), sum(w));
    }
}
