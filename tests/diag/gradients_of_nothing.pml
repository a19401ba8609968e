fn f[n](i: i32[n]) { return sum(i) as f32; }
main {
    print(grad(f)(iota(3) as i32));           //~ PML0412
}
