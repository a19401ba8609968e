fn f[n](x: f32[n, 8]) -> f32[n] {
    return sum(x, dim = 0);    //~ PML0201
}
main { print(sum(f(ones([4, 8])))); }
