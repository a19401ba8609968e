//% ranks 1 2 (3 4)
//% bits sums_of_unlike_lines
// Lines, columns, matrices and images of sizes from 1e-18 to 1e12 side by side: sums of each have its own digits, with --reproducible too, where terms are
// rounded to a part of the largest that meet in one sum, also where what is added up is copied, reshaped and moved before it is finished.
import std.linalg;
const N : int = 1;
place p = ranks(0..N);
place q = ranks(0..N) as (a = N);

op lines(a[i, ..], s[i]) -> [i, ..] = a * s;
op columns(a[i, j], s[j]) -> [i, j] = a * s;
op without_lines(a[i, ..], s[i]) -> [i, ..] = a / s;
fn close(a, b) { return max(abs((finish(a) to B) - (finish(b) to B))) < 3e-6; }

main {
    let s = [1e-18, 1.0, 1e-12, 1e12, 3.0, 1e-6] as f32 to @p : B;
    let t = [1e6, 1e-12, 1.0, 1e-3] as f32 to @p : B;
    let (i, j) = (reshape(iota(6), [6, 1]) as f32, reshape(iota(8), [1, 8]) as f32);
    let x = sin(1.0 + 3.0 * i + 7.0 * j + i * j) to @p : B;
    let (w, v) = ((cos(x) + 0.2)[0..4, ..], abs(x) + 0.1);
    for split in [0, 1] {
        let small = if split == 0 => x to S(1) else x to S(0);
        let large = lines(small, s);
        let (along, down) = (sum(large, dim = 1) to B, sum(large, dim = 0) to B);
        assert(close(without_lines(along, s), sum(small, dim = 1) to B));
        assert(close(1e-12 * down, sum(lines(small, 1e-12 * s), dim = 0) to B));
        assert(close(without_lines(sum(large * small, dim = 1) to B, s), sum(small * small, dim = 1) to B));
    }
    // Products of columns of unlike sizes too: parts, which are copied, taken apart and moved as such.
    let k = transpose(w) to S(0);
    let z = ((x to S(1)) @ k) to B;
    let u = 1.0 / t;
    assert(close(columns(without_lines(product(x, k, s, t) to B, s), u), z));
    assert(close(columns(without_lines(product(x, k, s, t) to S(0), s), u), z));
    let (at, y) = ([5, 0, 3, 1, 4, 2] as i32 to @p : B, product(x, k, s, t));
    let picked[i, j] = y[at[i], j];
    let wanted[i, j] = z[at[i], j];
    let sizes[i] = s[at[i]];
    assert(close(columns(without_lines(picked to B, sizes), u), wanted));
    assert(close(columns(without_lines(reshape(reshape(product(x, k, s, t), [2, 12]) to B, [6, 4]), s), u), z));
    let there = (product(x, k, s, t) to @q : P) to B;
    assert(close(columns(without_lines(there, s to @q), u to @q), z to @q));
    // Gradients: of each line's own size.
    let g = grad(energy, wrt = "a")(lines(x, s) to S(0), v);
    assert(close(without_lines(g, s), grad(energy, wrt = "a")(x to S(0), v)));
    // Systems and images in one batch.
    let a = stack([x[.., 0..6] + 3.0 * eye(6), x[.., 1..7] + 3.0 * eye(6), x[.., 2..8] - 3.0 * eye(6)], dim = 0);
    let b = stack([x, 2.0 * x, 1.0 - x], dim = 0);
    let (r, q) = ([1e-15, 1.0, 1e15] as f32 to @p : B, [1e12, 1e-12, 1.0] as f32 to @p : B);
    assert(close(without_lines(linalg.solve(lines(a, r) to S(0), lines(b, q) to S(0)), q / r) , linalg.solve(a, b)));
    let images = reshape(x, [3, 1, 4, 4]);
    let taps = reshape(w, [2, 1, 4, 4])[.., .., 0..3, 0..3];
    assert(close(without_lines(conv2d(lines(images, q) to S(0), taps, pad = 1), q), conv2d(images, taps, pad = 1)));
    print(without_lines(g, s)[.., 0]);
}
fn product(x, k, s, t) -> f32[6, 4] @ p : P { return lines(x to S(1), s) @ columns(k, t); }
fn energy(a, v) { return sum(finish(sum(a * a * v, dim = 1))) to B; }
