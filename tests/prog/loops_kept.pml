// Loops of functions that are differentiated, as loops and turn by turn: values and gradients are the same, on any number of ranks.
//% ranks 1 (2) 3 (4)
//% also --loops=unrolled
const N : int = 1;
const T : int = 6;
place p = ranks(0..N);
fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }

param w : f64[8, 8] @ p : S(1) = ramp([8, 8], 5) * 0.4;
param u : f64[5, 8] @ p : B = ramp([5, 8], 3);
param b : f64[8] @ p : B = ramp([8], 9);
param scale : f64[T] @ p : B = ramp([T], 2) + 1.2;

// What is carried is needed whole: it is gathered in every turn, and its gradient scattered.
fn recurrent(x: f64[T, 4, 5] @ p : B) -> f64 @ p : B {
    var h = zeros([4, 8]) as f64 to @p : B;
    for t in 0..T {
        h = tanh((h @ w to B) + x[t] @ u + b);
    }
    return sum(h * h) to B;
}

// Rows of a batch on all ranks: nothing moves in the turns, sums of gradients do behind them.
fn rows(x: f64[T, 6, 5] @ p : S(1)) -> f64 @ p : B {
    var h = zeros([6, 8]) as f64 to @p : S(0);
    var sum_of_all = zeros([6, 8]) as f64 to @p : S(0);
    for t in 0..T {
        h = tanh(h * scale[t] + x[t] @ u + b);
        sum_of_all = sum_of_all + h * scale[T - 1 - t];
    }
    return sum(sum_of_all * h) to B;
}

// Two values that follow each other, and the number of the turn.
fn shifted(x: f64[8] @ p : B) -> f64 @ p : B {
    var a = x;
    var c = x * b;
    for t in 0..T {
        (a, c) = (c, sin(a + c * b) + t);
    }
    return sum(a * c);
}

// A loop in a loop.
fn nested(x: f64[8] @ p : B) -> f64 @ p : B {
    var h = x;
    for t in 0..3 {
        var g = h * b;
        for s in 0..4 {
            g = sin(g + b * scale[s]) * h;
        }
        h = h * 0.5 + g;
    }
    return sum(h);
}

main {
    let x = ramp([T, 6, 5], 4) to @p : B;
    let (l, g) = value_and_grad(recurrent)(x[.., 0..4, ..]);
    print(l, g.w to B, g.u, g.b);
    let (m, d) = value_and_grad(rows)(x to S(1));
    print(m, d.u to B, d.b to B, d.scale to B);
    let y = ramp([8], 7) to @p : B;
    let (n, e) = value_and_grad(shifted)(y);
    print(n, e.b);
    let (o, f) = value_and_grad(nested)(y);
    print(o, f.b, f.scale);
}
