//% fold 1 (2 3) 4
//% also --verify-each --target-cpu=x86-64-v3
// Rows of a slice stay on their ranks: functions that are not linear, calls, products, slices of slices, padding, loops,
// gradients and states over what is left; slices that are cut at different places meet in parts or behind a `to`.
place p = ranks(0..4);
place g = ranks(0..4) as (dp = 2, tp = 2);

param w : f32[6, 5] @p : B = normal(std = 0.5);
param v : f32[13, 6] @p : S(0) = normal(std = 0.5);
param u : f32[9, 10] @g : (dp=S(0), tp=S(1)) = normal(std = 0.5);
state seen : f32[8, 6] @p : S(0) = zeros();

op reversed(x[i, j], k: int) -> [k, j] = x[12 - k, j];
op third(x[i, j], k: int) -> [k, j] = x[3 * k + 1, j];

fn layer[n](x: f32[n, 6]) -> f32[n, 5] { return tanh(x @ w); }
fn same[n, l: layout](x: f32[n, 6] @p : l, y: f32[n, 6] @p : l) -> f32[n, 6] @p : l { return relu(x) * y; }

fn loss(x: f32[13, 6] @p : S(0)) -> f32 @p : B {
    let h = layer((x + v)[3..12]);
    return (mean(h[1..] * h[1..]) + sum(exp(v[5..7]))) to B;
}

fn turns(x: f32[8, 6] @p) -> f32 @p : B {
    var h = x;
    var s = 0.0;
    for t in 0..3 {
        h = tanh(h * 1.5);
        s = s + sum(h[t..t + 4]);
    }
    return s to B;
}

fn crossed() -> f32 @g : B {
    let part = u[2..8, 1..9];
    return sum(tanh(part) * part) to B;
}

main {
    let x = uniform(rng(1), [13, 6]) to @p : S(0);
    print(sum(relu(x[1..12] - 0.5)) to B, max(x[4..6]) to B);
    print(layer(x[2..]) to B);
    print(exp(x[4..11])[1..6][2..] to B);
    print(softmax(x[1..7]) to S(1) to B);
    print(layer(third(x, 4)) to S(0) to B);
    print(sum(layer(pad(x, before = 3, dim = 0))) to B);
    print(concat([exp(x[9..]), zeros([3, 6])], dim = 0) to B);
    print(same(x[3..11], x[3..11] * 2.0) to B);

    // in parts, on one rank as well
    let back : f32[13, 6] @p : P = reversed(x, 13);
    let both : f32[17, 6] @p : P = concat([x, x[..4]], dim = 0);
    print(back to B, sum(both) to B);

    // another cut of the same rows
    print(sum((x[1..] - x[..12]) * 2.0) to B);
    print(sum(relu(x[1..] - x[..12]) to S(0)) to B);
    print(relu(x[1..]) * 2.0 to S(0, shares = [1, 0, 2, 1]) to B);
    seen = relu(x[2..10]) to S(0);
    seen[1..7] = exp(x[1..7]) to S(0);
    print(seen to B);

    print(turns(x[1..9]));

    let (l, d) = value_and_grad(loss)(x);
    print(l, d.w to B);
    print(d.v to B);
    let (c, e) = value_and_grad(crossed)();
    print(c);
    print(e.u to B);
}
