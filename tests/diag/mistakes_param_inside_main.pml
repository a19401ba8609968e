main {
    param w : f32[3] = zeros();  //~ PML0001@5
    if true {
        const n : int = 3;  //~ PML0001@9
    }
    print(w);
}
