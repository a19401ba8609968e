fn f(in: f32[3]) { return 1; } //~ PML0001@6
main {
    let to = 3;      //~ PML0001@9
    for each in 0..3 { } //~ PML0001@9
}
