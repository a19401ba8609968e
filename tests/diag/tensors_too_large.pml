place p = ranks(0..2);
param w : f32[16, 2147483647] @ p : B = zeros();
main {
    let x = zeros([2147483647, 16]) to @p : S(0);
    print(sum(x @ w) to B);                   //~ PML0207
    print(sum(zeros([1000000, 1000000, 1000000])));   //~ PML0207
}
