// Index notation in functions: contractions, diagonals, windows, reductions of each kind. Values: expected.py (numpy).
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);

main {
    let a = reshape(iota(12) as f32, [3, 4]) - 5.0 to @p : S(0);
    let b = reshape((iota(20) * 3 % 7) as f32, [4, 5]) to @p : B;
    let w = b to S(1);
    let c[i, j] = sum[k] a[i, k] * b[k, j];
    let d[i, j] = sum[k] (a to B)[i, k] * w[k, j];
    print("products", c to B, d to B);
    let t[j, i] = a[i, j];
    let r[i] = max[j] a[i, j];
    let q[j] = min[i] a[i, j];
    let s = sum[i, j] a[i, j] * a[i, j];
    print("views", t to B, r to B, q to B, s to B);
    let whole = a to B;
    let diagonal[i] = sum[j] if i == j => whole[i, j] else 0.0;
    let gram[i, j] = sum[k] whole[i, k] * a[j, k];
    let trace = sum[i] (gram to B)[i, i];
    print("diagonals", diagonal to B, gram to B, trace to B);
    let v = iota(9) as f32 to @p : B;
    let even[i] = if i < 3 => v[2 * i] + v[2 * i + 1] else 0.0;
    let back[i] = v[8 - i] + 0.0 * v[i];
    let reach[i] = v[i] + v[i + 3];
    print("windows", even, back, reach);
    let p3[i, j, k] = whole[i, j] * b[j, k];
    let m3[i, k] = mean[j] p3[i, j, k];
    let mx[i] = argmax[j] whole[i, j];
    let ct = sum[i, j] (whole[i, j] > 0.0);
    let pr[j] = prod[i] whole[i, j];
    let an[i] = any[j] (whole[i, j] > 4.0);
    let al[i] = all[j] (whole[i, j] > 0.0);
    print("kinds", m3, mx, ct, pr, an, al);
    let position[i, j] = whole[i, j] * 0.0 + (10 * i + j) as f32;
    let rest[.., j] = b[.., j] * 2.0;
    let masked[i, j] = where(j <= i, whole[i, j], -1.0);
    print("positions", position, rest to B, masked);
    let nested[i] = exp(sum[j] whole[i, j]) + max(r[i], 0.0);
    print("nested", nested to B);
    let n = [3, 1, 2] as i32;
    let big[i] = n[i] * (if n[i] > 1 => 1 else 0);
    let sure[i] = whole[i, 1] * (if n[i] > 1 => 1 else -1);
    let fine[i] = n[i] as f64 * (if n[i] > 2 => 0.1 else if n[i] > 1 => 2 else 0);
    let kind[i] = if n[i] > 1 => 1 else 0;
    let next[i] = i + (if i < 1 => 1 else 0) + n[i];
    print("choices", big, big.dtype, sure to B, fine, fine.dtype, kind.dtype, next, abs(sum(fine) - 4.3) < 1e-12);
    print("divisors beyond all values", grad(far_apart, wrt = "x")([1.0, 2.0, 3.0] as f32, 9223372036854775807), grad(far_apart, wrt = "x")([1.0, 2.0, 3.0] as f32, 3));
}
op one_in(x[i], n: int, many: int) -> [n] = x[(n - 1) / many];
fn far_apart(x: f32[3], many: int) { return sum(one_in(x, 7, many)); }
