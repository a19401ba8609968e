place grid = ranks(0..4) as (dp = 2, tp = 2);
main {
    let m = reshape(iota(16) as f32, [4, 4]);
    let x = sum(m to @grid : (dp=S(0)), dim = 0);
    let y = max(m to @grid : (tp=S(0)), dim = 0);
    print(x + y to B);  //~ PML0308
}
