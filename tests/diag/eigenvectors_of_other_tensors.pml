// Eigenvectors, and factors l u, are those of square matrices of f32 or f64.
place p = ranks(0..2);
param b : f16[4, 4] @ p = normal();
param c : f64[2, 3] @ p = normal();

main {
    print(symmetric_eigen(b));      //~ PML0211
    print(symmetric_eigen(c));      //~ PML0211
    print(symmetric_eigen("a"));    //~ PML0209
    print(pivoted_lu(b));           //~ PML0211
    print(pivoted_lu(c));           //~ PML0211
}
