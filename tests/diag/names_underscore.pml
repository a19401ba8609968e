main {
    for _ in 0..3 { print(_); }    //~ PML0113@27
    let (_, a) = (1, 2);
    let (_, _) = (1, a);
}
fn f(x) { return x as f32[_, 3]; }
fn g(x: f32[_]) { return x as [_, 3]; }
op h(a[_]) -> [] = sum[k] a;       //~ PML0113@8
