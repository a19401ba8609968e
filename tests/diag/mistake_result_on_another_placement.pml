place left  = ranks(0..2);
place right = ranks(2..4);
fn f[n](x: f32[n] @ left : B) -> f32[n] @ right : B {
    return x * 2.0;    //~ PML0212
}
main { print(sum(f(ones([4]) to @left : B))); }
