// Products of 16 bits: sums of integers, which f32 holds exactly, are rounded once, however operands lie and are split.
//% ranks 1 4 (2 3)
//% also --target-cpu=native
const N : int = 1;
place p = ranks(0..N);
param w : bf16[80, 64] @ p = zeros();

fn whole(n: int, m: int, shape) { return reshape(((iota(n) * m % 13) as f32) - 6.0, shape); }
fn off[n, m](y: bf16[n, m] @ p, exact: f32[n, m] @ p) { return max(abs(y as f32 - exact as bf16 as f32)); }
fn off_half[n, m](y: f16[n, m] @ p, exact: f32[n, m] @ p) { return max(abs(y as f32 - exact as f16 as f32)); }
fn objective[n](x: bf16[n, 80] @ p, c: bf16[n, 64] @ p) { return sum(((x @ w) * c) as f32); }

main {
    let x = whole(48 * 80, 5, [48, 80]) to @p : B;
    let y = whole(80 * 64, 7, [80, 64]) to @p : B;
    let exact = x @ y;
    print("whole", off(x as bf16 @ y as bf16, exact), off_half(x as f16 @ y as f16, exact), max(exact));
    print("rows", off((x as bf16 to S(0)) @ (y as bf16) to B, exact));
    print("columns", off_half((x as f16) @ (y as f16 to S(1)) to B, exact));
    let z = transpose(y) to B;
    print("transposed", off(x as bf16 @ transpose(z as bf16), exact), off_half(transpose(transpose(x) as f16) @ y as f16, exact));
    print("scaled", off((x as bf16 @ y as bf16) * 0.5, exact * 0.5), off(0.25 * (x as bf16) @ (y as bf16), exact * 0.25));
    print("a row", off(x[0..1, ..] as bf16 @ y as bf16, exact[0..1, ..]), off(x[0..1, ..] as bf16 @ transpose(z as bf16), exact[0..1, ..]));
    let s = whole(3 * 16 * 80, 3, [3, 16, 80]) to @p : B;
    let t = whole(3 * 80 * 20, 11, [3, 80, 20]) to @p : B;
    let of_batches = (s as bf16) @ (t as bf16);
    print("batched", max(abs(of_batches as f32 - (s @ t) as bf16 as f32)));
    let image = whole(2 * 4 * 12 * 12, 3, [2, 4, 12, 12]) to @p : B;
    let k = whole(8 * 4 * 9, 5, [8, 4, 3, 3]) to @p : B;
    let windows = conv2d(image as bf16, k as bf16, pad = 1);
    let windows_half = conv2d(image as f16, k as f16, pad = 1);
    let all = conv2d(image, k, pad = 1);
    print("windows", max(abs(windows as f32 - all as bf16 as f32)), max(abs(windows_half as f32 - all as f16 as f32)));
    w = y as bf16;
    let g = grad(objective)(x as bf16, whole(48 * 64, 4, [48, 64]) as bf16 to @p : B);
    print("gradient", off(g.w, transpose(x) @ (whole(48 * 64, 4, [48, 64]) to @p : B)));
}
