// Quotients of which one is never whole where the other is, and an index that goes around an edge.
fn finer(c) {
    let z[i] = c[(i - 1) / 2] + 0.5 * c[i / 2];  //~ PML0608@39
    return z;
}

fn around(a) {
    let b[i] = a[(i + 1) % 8];  //~ PML0601@18
    return b;
}

// Both are there for i = 2, 14, 26, ...: 3 steps of 4 and 2 of 6.
fn sometimes(a) {
    let b[i] = a[((i + 2) / 4)?] + a[((i + 4) / 6)?];
    return b;
}

main {
    print(finer([1.0, 2.0, 3.0] as f32), around(iota(8)), sometimes(iota(8)));
    let y = iota(8);
    let odd[i] = y[(2 * i + 1) / 2];  //~ PML0608@18
    let two[i, j] = y[(i - j) / 2] + y[(i - j + 1) / 2] + y[i] + y[j];  //~ PML0608
    let sums[i] = sum[p] y[(i - p) / 2] * y[p];
    print(odd, two, sums);
}
