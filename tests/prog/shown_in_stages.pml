// What loops of any number of turns print in stages of a pipeline, each micro-batch as many lines as it makes turns, is what one rank prints.
//% fold 1 3 (2)
//% also --reproducible
place left  = ranks(0..2);
place right = ranks(2..3);
config turns : int = 2;
param w : f64[4, 4] @ left = (reshape((iota(16) * 7 % 11) as f64, [4, 4]) - 5.0) * 0.2;
param v : f64[4] @ right = [0.1, 0.4, -0.3, 0.2];
fn loss[n](x: f64[n, 4] @ left : S(0)) -> f64 @ right {
    var h = x;
    while (mean(h * h) to B) > 0.02 {
        h = 0.3 * tanh(h @ w + 0.1);
        print("left", mean(h * h) to B, sum(h, dim = 0) to B);
        assert((max(h) to B) < 1.0);
    }
    for i in 0..3 * turns {
        h = h * 0.8;
        print("turn", i);
        if i % 2 == 1 { print("odd", i, h[0, 0..2] to B); }
        if i == 4 { break; }
    }
    var y = h to @right : B;
    while sum(y * v) * sum(y * v) > 1e-9 {
        y = y * 0.1;
        log(right = sum(y * v));
        print("right", y @ v);
    }
    return mean(square(y @ v - 1.0));
}
main {
    let x = sin(reshape(iota(32) as f64, [8, 4])) * (unsqueeze(iota(8), dim = 1) as f64 * 0.2 + 0.1);
    for step in 0..2 {
        let (l, g) = microbatch(4, schedule = "zb") { value_and_grad(loss)(x to @left : S(0)) };
        w -= 0.5 * g;
        print(step, l);
    }
}
