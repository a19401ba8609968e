// Blocks that are expressions and assign what stands outside of them: in loops and branches of the host, and of what is differentiated.
//% ranks 1 2 (3)
const N : int = 1;
place p = ranks(0..N);
param w : f64[3] @ p = [0.5, 0.25, 0.75] as f64;
config n : int = 3;

fn in_branch(x: f64[3] @ p) {
    var s = 0.1;
    var u = w * 1.0;
    if sum(x) > 0.3 {
        u = remat {
            if n > 2 { s = s * 0.5 + sum(w * x); }
            w * x
        };
    }
    return sum(u) + s * sum(x);
}
fn in_loop(x: f64[3] @ p) {
    var h = x;
    var s = 1.0;
    var turns = 0;
    for i in 0..n {
        h = remat {
            s = s * sum(h * w);
            turns = turns + 2;
            sin(h) + w * i
        };
    }
    return sum(h) * s + turns;
}

main {
    var s = 1;
    var t = w * 1.0;
    for i in 0..n {
        let y = mixed bf16 {
            s = s + 2;
            t = t * 2.0;
            t + 1.0
        };
        print(i, s, y);
    }
    if n > 2 {
        let y = remat {
            s = 100;
            t
        };
    }
    print(s, t);
    let x = [0.3, -0.4, 0.8] as f64 to @p;
    for f in [in_branch, in_loop] {
        check_gradient(f, x);
        let (l, g) = value_and_grad(f)(x);
        print(l, g.w);
    }
}
