param w : f32[8, 4] = zeros();
param c : f32[8]    = zeros();
main {
    let x = ones([16, 8]);
    print(sum(x @ w + c));    //~ PML0201
}
