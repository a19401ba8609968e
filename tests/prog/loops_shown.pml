// print, log and assert in loops and branches of a differentiated function that the running program decides: once for each turn and arm
// taken, in their order, behind the derivative; on one placement or several, in loops of any number of turns and of a stated bound, in
// loops in loops, in micro-batches and where a part is computed again.
//% long
//% fold 1 2 4
//% also --loops=unrolled
//% bits loops_shown
place all = ranks(0..4) as (dp = 4);
place left = all[dp = 0];
place right = all[dp = 3];
param w : f32[4] @ all = reshape([0.5, 0.25, 0.125, 1.0], [4]);
param v : f32[4] @ left = reshape([0.5, 0.25, 0.125, 1.0], [4]);
param u : f32[4, 4] @ right = reshape((iota(16) * 7 % 5) as f32 * 0.1, [4, 4]);

fn halve(w: f32[4] @ all, tol: f32) -> f32 @ all {
    var h = w;
    var n = 0;
    while sum(h * h) > tol {
        h = h * 0.5;
        n = n + 1;
        print("turn", n, sum(h * h), n % 2 == 0);
        if n % 2 == 0 { print("  even", h, (n, [h[0], h[1]])); } else { print("  odd"); }
        assert(n < 100, "too many");
        assert(sum(h) < 10.0);
        log(n = n, h = sum(h));
    }
    print("done", n);
    if sum(h) > 0.01 { print("large", sum(h)); } else { print("small", sum(h)); }
    return sum(h * w);
}

// Of a stated bound, and a loop in it; both arms are taken, and none.
fn bounded(w: f32[4] @ all, tol: f32) -> f32 @ all {
    var h = w;
    for i in 0..6 {
        if sum(h * h) < tol { break; }
        h = h * 0.7;
        for k in 0..i {
            if h[0] < 0.2 {
                print("at", i, k, h[k % 4]);
            }
        }
        print("end of", i);
    }
    return sum(h * h * h);
}

fn middle(v: f32[4] @ left) -> f32[4] @ left {
    var h = v;
    while sum(h) > 0.4 {
        h = tanh(h * 0.6);
        print("left", h[0]);
    }
    return h;
}

fn staged(v: f32[4] @ left, u: f32[4, 4] @ right) -> f32 @ right {
    let a = middle(v) to @right;
    var b = remat { tanh(a @ u) };
    var more = true;
    while more {
        b = b * 0.5;
        more = sum(b) > 0.2;
        print("right", b, more);
        if !more { print("leaves"); }
    }
    return sum(b);
}

// Shards of the rows; what is shown is brought together before.
fn rows[n](w: f32[4] @ all, x: f32[n, 4] @ all : S(0)) -> f32 @ all {
    var h = x * w;
    var n = 0;
    while (sum(h * h) to B) > 1.0 {
        h = h * 0.5;
        n = n + 1;
        print("rows", n, sum(h) to B);
    }
    return (sum(h * x) to B);
}

// In micro-batches, in the stages of a pipeline.
fn stages[n](x: f32[n, 4] @ left, u: f32[4, 4] @ right) -> f32 @ right {
    var h = x;
    var k = 0;
    for i in 0..9 {
        if mean(abs(h)) <= 0.3 { break; }
        h = tanh(h * v) * 0.7;
        k += 1;
        print("first", k, mean(abs(h)));
    }
    var y = h to @right;
    if mean(y) > 0.1 { y = y @ u; print("arm"); } else { y = y * 2.0; print("other"); }
    return mean(y * y);
}

main {
    for k in 0..2 {
        let (l, g) = value_and_grad(halve)(w, 0.01 + 0.2 * k);
        print(l, g.w);
    }
    for tol in [0.3, 0.0001, 100.0] {
        let (l, g) = value_and_grad(bounded)(w, tol);
        print(l, g.w);
    }
    let (s, g) = value_and_grad(staged)(v, u);
    print(s, g);
    let x = reshape((iota(32) * 3 % 11) as f32 * 0.1, [8, 4]) to @all : S(0);
    print(value_and_grad(rows)(w, x));
    let (mean, grads) = microbatch(2) { value_and_grad(rows)(w, x) };
    print(mean, grads);
    let z = reshape((iota(32) * 5 % 11) as f32, [8, 4]);
    print(microbatch(4) { value_and_grad(stages)(z to @left, u) });
}
