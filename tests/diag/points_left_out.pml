// A point that reads outside is left out as a whole: told where the rest of it would count, and nobody said so.
// pmlc: -Werror
op around(u[i]) -> [i] = u[i - 1] + u[i + 1];  //~ PML0609@26
op kept(u[i]) -> [i] = u[(i - 1)?] + u[(i + 1)?];
op shorter(u[i], v[j], n: int) -> [n] = u[n] + v[n];  //~ PML0609@48

config by : int = 1;

fn none(x) {
    let y[i] = x[i] - x[i - 1];
    return y;
}

main {
    let x = ones([6]);
    let a[i] = x[i] - x[i - 1];  //~ PML0609@23
    let b[i] = x[i - 1];
    let c[i] = x[i] * x[i - 1] / x[i];
    let d[i] = where(i > 0, x[i - 1], 0.0);
    let e[i] = if i == 0 => x[i] else x[i - 1];  //~ PML0609@39
    let f[i] = sum[j] x[i - j] * x[j];
    let g[i] = x[i - 1] == x[i];  //~ PML0609@16
    let h[i] = 1.0 + x[i - 1];  //~ PML0609@22
    let k[i] = x[i - 1] - 2.0 * x[i - 1];
    let l[i] = x[i] - x[(i - 1)?] + x[i - 1];
    let m[i] = x[i] + x[i];
    let n[i] = x[i] + x[i - by];  //~ PML0609@23
    let q[i] = x[i] * x[i - by];
    print(a, b, c, d, e, f, g, h, k, l, m, n, q, around(x), around(x), kept(x), shorter(x, ones([4]), n = 6));
    print(none(zeros([0])));
}
