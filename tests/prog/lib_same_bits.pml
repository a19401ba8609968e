//% ranks 1 2 (3 4)
//% bits lib_same_bits
// Factors of matrices whose sizes, columns and singular values are far apart, in one batch: with --reproducible, where a sum is exact to a part of the largest
// term of the whole tensor, each is right by its own size. Without it values whose squares are no numbers any more.
import std.linalg;
const N : int = 1;
place p = ranks(0..N);

fn wave(count: int, n: int, m: int) {
    let (b, i, j) = (iota(count) as f64, iota(n) as f64, iota(m) as f64);
    let x[l, r, c] = sin(1.0 + 3.0 * i[r] + 7.0 * j[c] + 2.0 * b[l] + i[r] * j[c]);
    return x;
}
fn worst(a, b) { return finish(max(abs(a - b))) to B; }

// The largest errors of u diag(s) v^T = a, by the size of each a, and of orthogonality; and whether s falls.
fn wrong(a, sizes) {
    let (u, s, v) = linalg.svd(a);
    let by = 1.0 / sizes;
    let k = shape(s)[-1];
    assert(worst(maximum((s[.., 1..k] - s[.., 0..k - 1]) * unsqueeze(by), 0.0), 0.0) < 1e-14, message = "values that do not fall");
    let given = linalg.scaled_columns(u, linalg.scaled_lines(s, by)) @ transpose(v);
    return max(worst(given, linalg.per_matrix(a, by)), max(worst(transpose(u) @ u, eye(k, dtype = f64)), worst(transpose(v) @ v, eye(k, dtype = f64))));
}

main {
    let sizes = [1e-200, 1e-30, 1.0, 1e30, 1e200] as f64 to @p : S(0);
    for r in [24, 20] {
        let a = linalg.per_matrix(wave(5, r, 20), sizes to B) to @p : S(0);
        let steep = linalg.scaled_columns(a, 10.0 ** (-1.6 * iota(20) as f64));
        for x in [a, linalg.scaled_columns(a, 10.0 ** (-0.4 * iota(20) as f64)), steep, transpose(steep)] {
            let most = wrong(x, sizes);
            assert(most < 1e-11, message = "singular vectors");
        }
    }
    let a = linalg.symmetric(wave(1, 20, 20)[0]);
    let (w, v) = linalg.eigh(linalg.per_matrix(stack([a, a, a, a, a], dim = 0), sizes to B) to @p : S(0));
    let values = linalg.scaled_lines(w, 1.0 / sizes) to B;
    assert(max(abs(values - values[2])) < 1e-13, message = "eigenvalues");
    print(values[0], linalg.svd(1e200 * a)[1] * 1e-200);

    // Columns that become ever smaller: q is orthogonal all the same.
    let (q, r) = linalg.qr(linalg.scaled_columns(wave(2, 40, 36), 10.0 ** (-0.5 * iota(36) as f64)) to @p : S(0));
    assert(worst(transpose(q) @ q, eye(36, dtype = f64)) < 1e-13, message = "columns of q");
    print(worst(q @ r, linalg.scaled_columns(wave(2, 40, 36), 10.0 ** (-0.5 * iota(36) as f64)) to @p : S(0)) < 1e-13);
}
