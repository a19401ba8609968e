const N : int = 3;
param w : f32[N - 10] = zeros();              //~ PML0207@15
param v : f32[4000000000, 4000000000] = zeros();      //~ PML0207@11
main {
    print(9223372036854775807 + 1);           //~ PML0207
    print(sum(zeros([N - 4])));               //~ PML0207
    print(9000000000000000000 * 9);           //~ PML0207
    print(1e30 as i64);                       //~ PML0207
}
