param w : f32[10, 784] = zeros();
main {
    let x = zeros([64, 784]);
    let y = x @ w;                    //~ PML0201@17
    let z = x @ transpose(w);
    print(sum(y), sum(z));
}
