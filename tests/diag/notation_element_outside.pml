// A position without factors is one element, and is there: in a `let`, in an op, in front of other operands. One that says it may be outside is 0.
state m : f32[4, 4] = ones([4, 4]);
state t : f32[4] = ones([4]);

op column(a[n, k]) -> [n] = a[n, 9];  //~ PML0210@34
op chosen(a[n, k], j: int) -> [n] = a[n, j];  //~ PML0210@42
op last(a[n, k]) -> [n] = a[n, extent(k) - 1];

main {
    let a[i] = m[i, 4];  //~ PML0210@21
    let b[i] = m[i, -1];  //~ PML0210@21
    let c[] = m[1 + 3, 0];  //~ PML0210@17
    let d = sum[k] m[k, 2] * m[7, k];  //~ PML0210@32
    let e[i, j] = m[i, 6] * t[j];  //~ PML0210@24
    let f[i] = m[i, 6?] + m[i, 3];
    print(a, b, c, d, e, f, column(m), chosen(m, 4), last(m));
}
