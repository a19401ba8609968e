// what argmax and argmin choose among
op met(a[i, j]) -> [i + j < 4] = argmax[i, j] a;     //~ PML0604@34
main {
    let a = ones([2, 3]);
    let x[i] = argmax[i] a[i, 0];              //~ PML0604@23
    let y[j] = argmin[i, j] a[i, j];           //~ PML0604@26
    let k = ones([2, 2]);
    let z[y, x] = argmax[p, q] a[y + p - 1, x + q - 1] * k[p, q];     //~ PML0604@19
    print(met(a));
    let u = argmax[i, j] a[i, j];
    let v[k] = argmax[i, j] a[i, j] * a[k, j];
    print(u, v, x, y, z);
}
