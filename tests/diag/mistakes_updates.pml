place p = ranks(0..2);
place q = ranks(2..4);
param w : f32[4, 3] @ p : S(0) = zeros();
main {
    w[4] = ones([3]);  //~ PML0210
    w[0, 0, 0] = 1.0;  //~ PML0211
    w[0..2] = ones([3, 3]);  //~ PML0505
    w[0] = iota(3);  //~ PML0202
    w[0] = "text";  //~ PML0505
    w[1.5] = ones([3]);  //~ PML0204
    w[iota(2)] += ones([2, 3]);  //~ PML0204
    w[[[0, 1]]] = 1.0;  //~ PML0204
    w[iota(2)] = ones([3, 3]);  //~ PML0505
    w[iota(2) > 0] = 1.0;  //~ PML0204
    w[[1, 4]] = 1.0;  //~ PML0210
    w[0][1] = 2.0;  //~ PML0502
    w[0] = ones([3]) to @q;  //~ PML0212
    w[3..1] = ones([2, 3]);  //~ PML0210
    var n = 3;
    n[0] = 2;  //~ PML0208
}
