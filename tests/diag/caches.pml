// A cache is kept like a state: its layout holds, it is no param, it stands outside of functions.
place p = ranks(0..2);
param w : f32[4] @ p = ones();
cache seen : f32[4] @ p : S(0) = zeros();
cache sums : f32[4] @ p : P;            //~ PML0213
fn f(x: f32[4] @ p) { return sum(x * w * (seen to B)) to B; }
main {
    let g = grad(f)(w);
    seen = w * 2.0;
    seen = (w as f64);                  //~ PML0505
    print(g.seen);                      //~ PML0216
    let cache = 3;
    print(cache);
}
