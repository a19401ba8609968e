// What is not finite, in several ways: --what says which.
import std.data;
import std.optim;

const N : int = 1;   /// ranks

config what  : string = "diverge";   /// what goes wrong
config dir   : path   = "ckpt";      /// folder of the checkpoints
config file  : path   = "rows.csv";  /// data
config saved : path   = "w.safetensors";
config rate  : f32    = 0.01;        /// of the steps behind the tenth

place all = ranks(0..N);

param w    : f32[4, 3] @ all : B = normal(std = 0.5);
state best : f32       @ all : B = 1.0 / 0.0;

fn loss[n](x: f32[n, 4] @ all : S(0)) -> f32 @ all : B {
    let h = x @ w;
    let l = mean(square(h)) to B;
    return l;
}

fn attention(s: f32[8, 8] @ all : S(0), seen: bool[8, 8] @ all : S(0)) {
    let scores = where(seen, s, -1.0 / 0.0);
    return softmax(scores);
}

fn roots(v: f32[8] @ all : S(0)) {
    let r = sqrt(v);
    return sum(r) to B;
}

main {
    let x = normal(rng(1), [8, 4]) to @all : S(0);
    if what == "diverge" {
        for step in resume(dir)..60 {
            let (l, g) = value_and_grad(loss)(x);
            best = min(best, l);
            optim.sgd(g, lr = if step <= 10 => 0.01 else rate);
            every 10 { checkpoint(dir, step = step + 1); }
        }
        print("best", best < 1000.0);
    }
    if what == "quotient" {
        let s = sum(w) * 0.0;
        let q = s / s;
        print("q", q);
    }
    if what == "gradient" {
        let d = grad(roots)(zeros([8]) to @all : S(0));
        print("d", sum(d) to B);
    }
    if what == "halves" {
        let big = 1e5 * ones([8]) to @all : S(0);
        let narrow = big as f16;
        print("narrow", max(narrow) to B);
    }
    if what == "wide" {
        let big = (1e200 * ones([8]) as f64) to @all : S(0);
        let product = big * big;
        print("product", max(product) to B);
    }
    if what == "data" {
        let rows = data.csv(file, columns = [4], missing = 0.0 / 0.0) as (f32[_, 4]);
        for r in data.batches(rows, size = 8) { print("loss", loss(r to @all : S(0))); }
    }
    if what == "extremum" {
        let top = exp(1000.0 * max(abs(x), dim = 0));
        print("top", top to B);
    }
    if what == "segments" {
        let most = segment_max(x, [0, 0, 2, 2] as i32 to @all, 3);
        print("most", (most to B)[0, 1]);
    }
    if what == "mask" {
        let s = normal(rng(2), [8, 8]) to @all : S(0);
        print("rows", format(sum(attention(s, s >= s)) to B, digits = 3));
        print("rows", format(sum(attention(s, s > -0.5)) to B, digits = 3));
    }
    if what == "save" { w = w / 0.0; save(saved); }
    if what == "load" { load(saved); print("loaded"); }
}
