// Loops whose turns the running program counts, in functions that are differentiated: what their gradients need of each turn grows with
// them. The same with as many turns written down, on any number of ranks.
//% ranks 1 (2) 3 (4)
//% args --turns=7
const N : int = 1;
place p = ranks(0..N);
place first = ranks(0..1);
place last = ranks(N - 1..N);
config turns : int = 3;
param w : f64[8, 8] @ p : S(1) = ramp([8, 8], 5) * 0.4;
param b : f64[8] @ p : B = ramp([8], 9);
param v : f64[8] @ last : B = ramp([8], 3);

fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }

fn counted(x: f64[4, 8] @ p : B) -> f64 @ p : B {
    var h = x;
    for t in 0..turns {
        h = tanh((h @ w to B) + b * (t + 1));
    }
    return sum(h * h);
}
fn written(x: f64[4, 8] @ p : B) -> f64 @ p : B {
    var h = x;
    for t in 0..7 {
        h = tanh((h @ w to B) + b * (t + 1));
    }
    return sum(h * h);
}

// As long as a sum over all ranks is large.
fn shrinks(x: f64[8, 8] @ p : S(0)) -> f64 @ p : B {
    var h = x;
    var n = 0;
    while (sum(h * h) to B) > 0.01 {
        h = h * 0.5 * cos(b);
        n = n + 1;
    }
    return (sum(h) to B) * 1000.0 + n;
}

// Between two placements and back in every turn.
fn there(x: f64[8] @ first : B) -> f64 @ first : B {
    var h = x;
    for t in 0..turns {
        let far = sin((h to @last) + v);
        h = h * 0.5 + (far to @first);
    }
    return sum(h);
}

// One way or the other, turn by turn; leaving early.
fn ways(x: f64[8] @ p : B) -> f64 @ p : B {
    var h = x;
    for t in 0..turns * 10 {
        if sum(h) > 1.0 { h = h * b; } else { h = h + b * b; }
        if sum(h * h) > 40.0 { break; }
    }
    return sum(h * b);
}

main {
    let x = ramp([4, 8], 4) to @p : B;
    let (l, g) = value_and_grad(counted)(x);
    let (m, d) = value_and_grad(written)(x);
    assert_close(l, m);
    assert_close(g.w, d.w);
    print(l, g.w to B, g.b);
    let (n, e) = value_and_grad(shrinks)(ramp([8, 8], 6) to @p : S(0));
    print(n, e.b to B);
    let (o, f) = value_and_grad(there)(ramp([8], 2) to @first : B);
    print(o, f.v);
    let (q, r) = value_and_grad(ways)(ramp([8], 2) to @p : B);
    print(q, r.b);
}
