// Batched products and index notation in layouts of a mesh, nested splits of the contracted index. Values from NumPy.
//% fold 2 4
//% bits batched_products
place g = ranks(0..4) as (u = 2, v = 2);
main {
    let a = reshape(iota(24), [2, 3, 4]) as f64;
    let b = reshape(iota(16), [2, 4, 2]) as f64;
    print((a to @g : (u=S(0), v=S(1))) @ (b to @g : (u=S(0))) to B);
    print((a to @g : (u=S(2))) @ (b to @g : (u=S(1), v=S(2))) to B);
    print((a to @g : (u=S(2), v=S(2))) @ (b to @g : (u=S(1), v=S(1))) to (u=S(0), v=S(1)) to B);
    print((a to @g : (u=S(0), v=S(0))) @ (b to @g : (u=S(0), v=S(0))) to B);
    let x = a to @g : (u=S(0), v=S(2));
    let y = b to @g : (u=S(0), v=S(1));
    let q[i, k] = sum[n, j] x[n, i, j] * y[n, j, k];
    let r[j, n] = sum[i] x[n, i, j];
    let t[n] = sum[i, j] x[n, i, j] * x[n, i, j];
    print(q to B, r to B, t to B);
    // Of three operands, one after the other; whole numbers, so exact in any order.
    let numbers = reshape(iota(64 * 64) % 7, [64, 64]) as f64;
    let c = numbers to @g : (u=S(1));
    let w = transpose(numbers) to @g : (u=S(0), v=S(1));
    let d = numbers to @g : (v=S(1));
    let e[i, j] = sum[p, q] c[i, p] * w[p, q] * d[j, q];
    let scale = numbers[3, ..] to @g : (u=S(0));
    let s[i, j] = sum[k] c[i, k] * scale[k] * c[j, k];
    print((e to B)[0..2, 0..4], (s to B)[0..2, 0..4]);
}
