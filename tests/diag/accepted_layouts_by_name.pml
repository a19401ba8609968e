// pmlc: -D 'W=S(-1)'
place grid = ranks(0..4) as (dp = 2, tp = 2);
place row = ranks(0..2);
const ROWS : layout = S(0);
const ALL : list = [B, S(0), S(-1)];
const K : int = 2;
const W : layout = ALL[K];
const V = if K == 2 => B else P(max);
param w : f32[4, 4] @ grid : (dp=W, tp=V) = normal(std = 1.0);
param v : f32[4, 4] @ row : W = zeros();
fn like[l: layout](p: f32[..] : l, x: f32[..]) { return x to l; }
fn f(x: f32[8, 4] @ grid : (dp=ROWS)) { return sum(square(x @ (w to B))) to B; }
main {
    let x = uniform(rng(1), [8, 4]) to @grid : (dp=ROWS);
    let (l, g) = value_and_grad(f, grads: (tp=S(0)))(x);
    each (p, d) in g {
        state m : like d = zeros();
        m = 0.9 * m + (d to (dp=W, tp=S(0)));
        p = like(p, p - m);
    }
    if W == S(-1) && ROWS != B { print(l); }
}
