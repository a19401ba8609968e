place left = ranks(0..2);
fn f[n](x: f32[n] : S(0)) { return sum(x); }
main {
    print(sum(zeros([4]) to S(0)));           //~ PML0214@15
    print(sum(zeros([4]) to @left : S(0)) to B);
    print(f(zeros([4])));                     //~ PML0214@13
}
