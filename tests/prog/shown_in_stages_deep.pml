// What loops of any number of turns in other loops print, log and assert in stages of a pipeline is what one rank prints: each in the one
// before, around them known turns, a bound that the running program knows, branches and breaks, lines of several numbers, shards, segments
// that are computed again, loops on no rank in particular, loops that make no turn, and several blocks of micro-batches.
//% fold 1 3 (2)
//% also --reproducible
place left  = ranks(0..2);
place right = ranks(2..3);
config n : int = 3;
param w : f64[4, 4] @ left = (reshape((iota(16) * 7 % 11) as f64, [4, 4]) - 5.0) * 0.2;
param v : f64[4] @ right = [0.1, 0.4, -0.3, 0.2];

fn nested[n](x: f64[n, 4] @ left : S(0), turns: int) -> f64[n, 4] @ left : S(0) {
    var h = x;
    for i in 0..turns {
        print("i", i);
        var j = 0;
        while (mean(h * h) to B) < 0.4 + 0.2 * i as f64 {
            h = h * 1.2 + 0.02 * tanh(h @ w);
            print("  j", i, j, mean(h * h) to B, h[0] to B);
            assert((max(h) to B) < 9.0);
            j += 1;
            for q in 0..2 {
                var z = 0;
                while z < (j + q) % 3 { z += 1; print("    z", q, z, (sum(h, dim = 0) to B, [j, z])); }
            }
        }
        log(i = i, j = j, h = sum(h) to B);
        if j % 2 == 0 { for y in 0..j { print("  even", y); } } else { print("  odd", h[1, 2] to B); }
        if (mean(h * h) to B) > 0.7 { break; }
    }
    return h;
}

fn known[n](x: f64[n, 4] @ right, turns: int) -> f64[n, 4] @ right {
    var h = x;
    for i in 0..3 {
        remat every 2 for k in 0..i * turns {
            h = tanh(h + 0.1 * v);
            if k % 2 == 1 { while mean(h * h) > 0.1 { h = h * 0.6; print("known", i, k, h[i % 2]); } }
        }
        var k = 0;
        while k < i { k += 1; for y in 0..2 { print("y", y, k, mean(h)); } }
    }
    for q in 0..turns - 3 { while mean(h) > 0.0 { h = h * 0.5; print("never", q); } }
    return h;
}

fn loss[n](x: f64[n, 4] @ left : S(0), turns: int) -> f64 @ right {
    let h = nested(x, turns);
    return mean(square(known(h to @right : B, turns) @ v - 1.0));
}

fn blind[n](x: f64[n, 4] @ left : S(0)) -> f64 @ right { return mean(known(x to @right : B, 2)); }

main {
    let x = sin(reshape(iota(32) as f64, [8, 4])) * (unsqueeze(iota(8), dim = 1) as f64 * 0.2 + 0.1);
    for step in 0..2 {
        let (l, g) = microbatch(4, schedule = "zb") { value_and_grad(loss)(x to @left : S(0), n) };
        w -= 0.05 * g.w;
        v -= 0.05 * g.v;
        print(step, l);
    }
    print(microbatch(2, schedule = "gpipe") { blind(x to @left : S(0)) });
    print(microbatch(2) { value_and_grad(loss)(x to @left : S(0), 0) });
}
