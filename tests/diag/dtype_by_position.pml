main {
    print(normal(rng(1), [2], f64));          //~ PML0203@31
    print(normal(rng(1), [2], dtype = f64));
    print(zeros([2], f64));
}
