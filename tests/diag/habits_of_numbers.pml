param w : f32[4] = ones();
main {
    let lr = .1; //~ PML0013@14
    print(w * lr, 1., x[0..2]); //~ PML0013@19
}
