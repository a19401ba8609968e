place p = ranks(0..2);
param w : f32[16, 2147483647] @ p : B = zeros();
param rows : f32[3, 1000000000000] = zeros();
state ids : i32[10000000] = zeros();
main {
    print(sum(rows[ids]));                    //~ PML0207
    let x = zeros([2147483647, 16]) to @p : S(0);
    print(sum(x @ w) to B);                   //~ PML0207
    print(sum(zeros([1000000, 1000000, 1000000])));   //~ PML0207
}
