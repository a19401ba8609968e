// A factor takes all of its values at once, so what it reads is a tensor.
main {
    let x = iota(6) as f64;
    let taps = [1.0, 2.0, 1.0];
    let y[j] = sum[k] x[j + k] * taps[k];                   //~ PML0601@34
    let z[j] = sum[k] x[j + k] * [1.0, 2.0, 1.0][k];        //~ PML0601@34
    let parts = [x, 2.0 * x];
    let u[i, j] = parts[i][j];                              //~ PML0601@19
    let v[j] = taps[1] * parts[0][j];
    let t = taps as f64;
    let w[j] = sum[k] x[j + k] * t[k];
    print(y, z, u, v, w);
}
