place g = ranks(0..2);
fn f[n, l: layout](x: f32[n] @ g : l, y: f32[n] : m) -> f32[n] : l {  //~ PML0014@51
    let a = x to g;              //~ PML0014@18
    let b = x to (dp=B, dp=S(0)); //~ PML0108@25
    return y to l;
}
