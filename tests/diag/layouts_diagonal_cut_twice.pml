place grid = ranks(0..4) as (a = 2, b = 2);
op diagonal(x[i, i]) -> [i] = x;
main {
    let x = reshape(iota(16) as f32, [4, 4]) to @grid;
    print(diagonal(x to (a=S(1), b=S(0))) to B);  //~ PML0304
    print(diagonal(x to (a=S(0), b=S(0))) to B);
    print(diagonal(x to (b=S(1))) to B);
}
