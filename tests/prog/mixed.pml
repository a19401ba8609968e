//% ranks 1 (2) 3 (4)
//% rtol 2e-3
//% bits mixed
// `mixed`: factors of products are rounded, sums and all else are of f32; derivatives are products of the same kind.
import std.nn;

const FACTORS : dtype = bf16;
const N : int = 4;
place all = ranks(0..N);

param w : f32[40, 48] @ all : B = normal(std = 0.2);
param v : f32[48, 24] @ all : B = normal(std = 0.2);
param k : f32[12, 3, 3, 3] @ all : B = normal(std = 0.2);

fn rounded(x) { return x as bf16 as f32; }
fn near(what, x, y, off = 2e-5) { assert_close(x to B, y to B, rtol = off, atol = off); print(what); }
fn net[n](x: f32[n, 40] @ all : S(0)) -> f32 @ all : B { return mean(square(tanh(x @ w) @ v)) to B; }
fn image_net[n](x: f32[n, 3, 12, 12] @ all : S(0)) -> f32 @ all : B { return mean(square(conv2d(x, k, pad = 1))) to B; }
fn narrow_net(x: f32[32, 40] @ all : S(0)) { return mixed bf16 { net(x) }; }
fn product(x, y) { return x @ y; }
fn layers(x) {
    var h = x;
    for i in 0..3 { h = tanh(h @ w @ transpose(w)); }
    return h;
}

main {
    let x = normal(rng(1), [32, 40]) to @all : S(0);
    let image = normal(rng(2), [9, 3, 12, 12]) to @all : S(0);
    let plain = x @ w;
    near("rounded", mixed bf16 { x @ w }, rounded(x) @ rounded(w));
    near("called", mixed FACTORS { product(x, w) }, rounded(x) @ rounded(w));
    near("of halves", mixed f16 { x @ w }, (x as f16 as f32) @ (w as f16 as f32));
    near("as they are", mixed bf16 { mixed f32 { x @ w } }, plain);
    near("behind the block", product(x, w), plain);
    near("few rows", finish(mixed bf16 { x[0..3] @ w }), finish(x[0..3] @ w));
    near("windows", mixed bf16 { conv2d(image, k, pad = 1) }, conv2d(rounded(image), rounded(k), pad = 1));
    near("by index", mixed bf16 { let y[i, j] = sum[l] x[i, l] * w[l, j]; y }, rounded(x) @ rounded(w));
    near("sums", finish(mixed bf16 { sum(x * x) }), finish(sum(x * x)));
    near("loops", mixed bf16 { layers(x) }, mixed bf16 { remat { layers(x) } });
    print("they differ", finish(max(abs(mixed bf16 { x @ w } - plain))) > 1e-4);

    let (l, g) = mixed bf16 { value_and_grad(net)(x) };
    let (exact, h) = value_and_grad(net)(x);
    let inner = grad(narrow_net)(x);
    near("asked inside or outside", g.w, inner.w);
    print(g.w.dtype == f32, max(abs(g.w - inner.w)) == 0.0);
    print("loss", l, exact);
    print("near", max(abs(g.w - h.w)) < 0.02 * max(abs(h.w)), max(abs(g.v - h.v)) < 0.02 * max(abs(h.v)), max(abs(g.w - h.w)) > 0.0);
    // The derivative of v, by hand: what flows in is rounded, too.
    let t = tanh(mixed bf16 { x @ w });
    let flow = (2.0 / (32 * 24)) * (rounded(t) @ rounded(v));
    near("by hand", g.v, finish(transpose(rounded(t)) @ rounded(flow)), off = 1e-4);
    // Differences over a step that rounding does not hide.
    let step = 0.01 * sign(h.w);
    let moved = mixed bf16 { mean(square(tanh(x @ (w + step)) @ v)) - mean(square(tanh(x @ (w - step)) @ v)) } to B;
    print("differences", abs(moved / (2.0 * (sum(g.w * step) to B)) - 1.0) < 0.1);
    let (i, c) = mixed bf16 { value_and_grad(image_net)(image) };
    let d = grad(image_net)(image);
    print("windows", max(abs(c.k - d.k)) < 0.02 * max(abs(d.k)), i);
    let q = normal(rng(3), [2, 2, 24, 16]) to @all : S(0);
    print("attention", finish(max(abs(mixed bf16 { nn.attention(q, q, q) } - nn.attention(q, q, q)))) < 0.05);
    print("overflow", mixed f16 { max((1e5 * ones([9, 9]) to @all) @ (ones([9, 9]) to @all)) });
}
