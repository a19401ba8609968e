// A word of the language taken for a name is told once, wherever the name stands again.
param x : f32[4] = ones();
main {
    let to = x * 2.0; //~ PML0001@9
    print(to);
    for k in 0..3 { print(to + 1.0); }
    let y = to * 3.0;
    print(y);
}
