fn f[n, m](x: f32[n, m]) { return sum(x); }
fn g[.., m](x: f32[.., m]) { return sum(x); }
main {
    print(f(zeros([3])));                     //~ PML0211@13
    print(g(zeros([3])), g(zeros([2, 3])));
    print(g(full(1.0, [])));                  //~ PML0211@13
    print(sum(transpose(zeros([3]))));        //~ PML0211
    print(zeros([3])[0, 0]);                  //~ PML0211
}
