place p = ranks(0..2);
param w : f32[4, 3] @ p : S(0) = zeros();
param v : f32[4, 3] @ p : S(0) = zeros();
main {
    w[0..2] = ones([2, 3]) + v[1..3];  //~ PML0304
    v[0] = v[1] + 1.0;  //~ PML0304
}
