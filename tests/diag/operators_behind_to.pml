place all = ranks(0..2);
param w : f32[4] @ all : S(0) = ones();

main {
    print(sum(w) to B < 4.0);               //~ PML0001@23
    if max(w) to B > 1.0 { print(1); }      //~ PML0001@20
    let y = 2.0 * w to @all : B + 1.0;      //~ PML0001@33
}
