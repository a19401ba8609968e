main {
    let a = ones([3]);
    let b = ones([3]);
    let q[i] = a[i] * b;                      //~ PML0603@23
    let r[i] = a[i] * b[i];
    let s[i] = a[i] @ b[i];                   //~ PML0603
    let t[i] = a[i] + "x";                    //~ PML0603
    let u[i] = (a[i], b[i]);                  //~ PML0603
    print(sum(r), random_bits(rng(1), 1));    //~ PML0603
}
