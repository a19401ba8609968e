// print, log and assert in loops of any number of turns that stand in loops and branches of a differentiated function: as often as if
// nothing was differentiated, in the same order. Around them are loops of known turns, of a count and of a bound that the running
// program knows, branches, segments that are computed again, micro-batches, and loops that make no turn.
//% fold 1 2 (4)
//% also --loops=unrolled
//% bits loops_shown_deep
place all = ranks(0..4) as (dp = 4);
place left = all[dp = 0];
config n : int = 3;
param w : f32[4] @ all = [0.5, 0.25, 0.125, 1.0];
param v : f32[4] @ left = [0.5, 0.25, 0.125, 1.0];

// Each loop in the one before.
fn deep(w: f32[4] @ all, n: int) -> f32 @ all {
    var h = w * 0.1;
    for i in 0..n {
        print("i", i);
        var j = 0;
        while sum(h) < 3.0 + i as f32 {
            print("  j", i, j, sum(h));
            assert(j < 30, "too many");
            h = h * (1.1 + 0.1 * w);
            j += 1;
            for q in 0..2 {
                var z = 0;
                while z < (j + q) % 3 {
                    z += 1;
                    print("    z", q, z, h, (i, [j, q]));
                }
            }
            log(i = i, j = j, h = sum(h));
        }
        if j % 2 == 0 {
            var y = 0;
            while y < j { y += 2; print("  even", y); }
        } else {
            for y in 0..j % 5 { print("  odd", y, h[y % 4]); }
        }
    }
    return sum(h);
}

// Known turns around, and segments of two turns.
fn known(w: f32[4] @ all, n: int) -> f32 @ all {
    var h = w;
    for i in 0..4 {
        remat every 2 for k in 0..i * n {
            h = tanh(h + 0.1 * w);
            if k % 3 == 1 { print("known", i, k, h[i]); }
        }
        remat every 2 while sum(h * h) > 0.5 {
            h = h * 0.7;
            print("while", i, sum(h * h));
        }
    }
    return sum(h * w);
}

// On one placement and back.
fn away(v: f32[4] @ left, n: int) -> f32[4] @ left {
    var h = v;
    for i in 0..n {
        var k = 0;
        while sum(h) > 0.4 { h = h * 0.6; k += 1; print("left", i, k, h[0]); }
        h = h + v;
        for j in 0..k { if h[0] > 0.6 { break; } print("broken", i, j); h = h * 1.1; }
    }
    return h;
}

fn staged(v: f32[4] @ left, w: f32[4] @ all, n: int) -> f32 @ all { return sum((away(v, n) to @all : B) * w); }

// Shards of the rows.
fn rows[m](w: f32[4] @ all, x: f32[m, 4] @ all : S(0)) -> f32 @ all {
    var h = x * w;
    for i in 0..2 {
        while (sum(h * h) to B) > 0.5 / (1.0 + i as f32) {
            h = h * 0.5;
            print("rows", i, sum(h) to B);
        }
    }
    return (sum(h * x) to B);
}

fn twice(w: f32[4] @ all) -> f32 @ all { return sum(grad(deep, wrt = "w")(w, 2) * w); }

fn tangent(w: f32[4] @ all) -> f32 @ all { return known(w, 2); }

main {
    for k in 0..2 {
        let (l, g) = value_and_grad(deep)(w + 0.1 * k, n + k);
        print(l, g);
    }
    for k in 0..3 {
        let (l, g) = value_and_grad(known)(w, k);
        print(l, g);
    }
    print(value_and_grad(staged)(v, w, n));
    print(value_and_grad(staged)(v, w, 0));
    print(vjp(deep)(w, 1, 2.0));
    print(jvp(tangent)(w, w));
    print(value_and_grad(twice)(w));
    let x = reshape((iota(32) * 3 % 11) as f32 * 0.1, [8, 4]) to @all : S(0);
    print(value_and_grad(rows)(w, x));
    print(microbatch(2) { value_and_grad(rows)(w, x) });
}
