fn f[n](x: f32[n, 4], y: f32[n]) { return sum(x) + sum(y); }
main {
    print(f(zeros([3, 4]), zeros([3])));
    print(f(zeros([3, 5]), zeros([3])));      //~ PML0201@13
    print(f(zeros([3, 4]), zeros([2])));      //~ PML0201@28
}
