// Sums, products, least and largest of all pairs of lines, by bodies that are no products of matrices: each is what it is made point by point, which
// small whole numbers make exact. Of lines that blocks divide, and of others, few and many rows, operands the one way and the other, batches, several
// element types, parts on several ranks, and in loops.
//% ranks 1 (2) 3
//% also --no-fusion
const N : int = 1;
place p = ranks(0..N);

fn numbers(n: int, m: int, a: int) {
    let (i, k) = (iota(n) as i32, iota(m) as i32);
    let x[r, c] = (i[r] * a + k[c] * (a + 6) + i[r] * k[c]) % 17 - 8;
    return x;
}
fn compared(x, y, points: int) {
    let zero = (x[.., 0..1] - transpose(y[.., 0..1])) * 0;
    var (absolute, squares, least, most) = (zero, zero, zero + 100, zero - 100);
    for k in 0..points {
        let (u, v) = (x[.., k..k + 1], transpose(y[.., k..k + 1]));
        absolute = absolute + abs(u - v);
        squares = squares + (u - v) * (u - v);
        least = min(least, u + v);
        most = max(most, abs(u - v));
    }
    let w = transpose(y) + 0;
    let a[i, j] = sum[k] abs(x[i, k] - y[j, k]);
    let b[i, j] = sum[k] (x[i, k] - y[j, k]) * (x[i, k] - y[j, k]);
    let c[i, j] = min[k] x[i, k] + y[j, k];
    let d[i, j] = max[k] abs(x[i, k] - y[j, k]);
    let e[i, j] = sum[k] abs(x[i, k] - w[k, j]);
    let f[i, j] = min[k] x[i, k] + w[k, j];
    let g[j, i] = sum[k] abs(x[i, k] - y[j, k]);
    let h[i, j] = sum[k] abs(x[i, k] - y[j, k]) + abs(w[k, j] - x[i, k]) * 2;
    assert(all(a == absolute));
    assert(all(b == squares));
    assert(all(c == least));
    assert(all(d == most));
    assert(all(e == absolute));
    assert(all(f == least));
    assert(all(transpose(g) == absolute));
    assert(all(h == 3 * absolute));
    return (max(a), min(c), max(d), sum(b as f64));
}
// Rows of several batches, and what is the same in all of them.
fn batches(b: int, x, y, points: int) {
    let l = iota(b) as i32;
    let u[h, i, k] = x[i, k] + l[h];
    let v[h, j, k] = y[j, k] - l[h];
    let a[h, i, j] = sum[k] abs(u[h, i, k] - v[h, j, k]);
    let c[h, i, j] = sum[k] abs(u[h, i, k] - y[j, k]);
    let d[i, h, j] = max[k] u[h, i, k] - v[h, j, k] * 2;
    for h in 0..b {
        let (s, t) = (u[h], v[h]);
        let e[i, j] = sum[k] abs(s[i, k] - t[j, k]);
        let f[i, j] = sum[k] abs(s[i, k] - y[j, k]);
        let g[i, j] = max[k] s[i, k] - t[j, k] * 2;
        assert(all(a[h] == e));
        assert(all(c[h] == f));
        assert(all(d[.., h, ..] == g));
    }
}
state kept : f32[192, 320] @ p = zeros();
state left : i32[192, 40] @ p = numbers(192, 40, 3);
state right : i32[320, 40] @ p = numbers(320, 40, 5);
state stacked : f32[3, 192, 24] @ p = zeros();
main {
    print(compared(left[..40, ..16], right[320 - 256.., 1..17], 16));
    print(compared(left[..21, ..7], right[320 - 131.., 1..8], 7));
    print(compared(left[..8, ..33], right[320 - 200.., 1..34], 33));
    print(compared(left[..7, ..12], right[320 - 300.., 1..13], 12));
    print(compared(left[..13, ..5], right[320 - 9.., 1..6], 5));
    print(compared(left[..40, ..16] as f32, right[320 - 250.., 1..17] as f32, 16));
    print(compared(left[..44, ..9] as f64, right[320 - 192.., 1..10] as f64, 9));
    print(compared(left[..30, ..6] as i64, right[320 - 144.., 1..7] as i64, 6));
    batches(3, left[..18, ..10] + 0, right[..192, ..10] + 0, 10);
    let x = left[.., ..24] as f32;
    let y = right[.., 16..] as f32;
    let whole[i, j] = sum[k] abs(x[i, k] - y[j, k]);
    let (xr, yr) = (x to @p : S(0), y to @p : S(0));
    let (xk, yk) = (x to @p : S(1), y to @p : S(1));
    let (xb, yb) = (x to @p : B, y to @p : B);
    let a[i, j] = sum[k] abs(xr[i, k] - yb[j, k]);
    let b[i, j] = sum[k] abs(xb[i, k] - yr[j, k]);
    let c[i, j] = sum[k] abs(xk[i, k] - yk[j, k]);
    print(all((a to B) == whole), all((b to B) == whole), all((c to B) == whole));
    for t in 0..3 { stacked[t] = x + t as f32; }
    for t in 0..3 {
        let s[i, j] = sum[k] abs(stacked[2 - t][i, k] - yb[j, k]);
        print(sum(s), s[191, 319]);
        let z[i, j] = sum[k] abs(xb[i, k] * ((t + 1) as f32) - yb[j, k]);
        kept = kept * 0.5 + z;
        print(sum(kept), kept[100, 17], sum(exp(-0.05 * z)) > 0.0);
    }
}
