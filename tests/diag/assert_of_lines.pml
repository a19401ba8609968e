// What a check of split lines compares is as wrong as the check: that is one message.
place p = ranks(0..2);
fn f(x) { assert(sum(x) < 3.0); return sum(x); } //~ PML0303@18
main {
    let x = reshape(iota(8) as f32, [8, 1]) to @p : S(0);
    print(vmap(f)(x) to B);
}
