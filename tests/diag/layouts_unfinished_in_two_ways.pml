place grid = ranks(0..4) as (dp = 2, tp = 2);
fn f(x: f32[4] @ grid : (dp=P, tp=P(max))) { return x; }  //~ PML0213
main {
    let m = reshape(iota(16) as f32, [4, 4]);
    print(m to @grid : (dp=P(min), tp=P(prod)) to B);  //~ PML0213
    print(f(m[0]));
}
