// round, log2, is_nan, is_finite, std, norm; channels put last. Values: expected.py (numpy).
//% ranks 1 (2) 3
const N : int = 1;
place p = ranks(0..N);
main {
    let x = iota(13) as f32 * 0.5 - 3.0 to @p : S(0);
    print(round(x) to B, round(x + 0.25) to B, round(0.49999997 + 0.0 * (x[0..1] to B)));
    print(log2(x + 4.0) to B);
    let y = ln(x) + 1.0 / (x - 1.0);
    print(is_nan(y) to B, is_finite(y) to B);
    let z = reshape(x[0..12] to B, [3, 4]) to @p : S(0);
    print(std(z) to B, std(z, dim = 0), norm(z), norm(z, dim = 0), norm(z, dim = 1) to B);
    print(grad(length, wrt = "z")(z) to B);
    // Few channels, more points than lanes; every element is a number of its own.
    let image = reshape(iota(222) as f32, [3, 2, 37]) to @p : S(0);
    let last[h, w, c] = 2.0 * image[c, h, w];
    print((last to B)[1, 30..37, ..]);
    let bytes = reshape(iota(74), [2, 37]) as u8 to @p : S(1);
    let pairs[w, c] = bytes[c, w];
    print((pairs to B)[31..37, ..], sum((pairs to B) as i32));
    let four = reshape(iota(204), [4, 51]) as bf16 to @p : B;
    let quads[w, c] = four[c, w] + c as bf16;
    print(quads[48..51, ..] as f32);
}
fn length(z: f32[3, 4] @ p : S(0)) -> f32 @ p : B { return norm(z) + sum(std(z)) to B; }
