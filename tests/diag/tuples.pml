param w : f32[3] = zeros();
fn f() { return sum(w); }
fn pair(p: (f32[3], i32[2])) { return 1; }
main {
    let (l, g) = value_and_grad(f)();
    let (a, b, c) = value_and_grad(f)();      //~ PML0217@9
    let (x, y) = 3;                           //~ PML0217@9
    print(pair((zeros([3]), iota(2) as i32)));
    print(pair(zeros([3])));                  //~ PML0217
}
