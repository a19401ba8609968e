// Gradients through products, reductions, views, tables and windows, operands split. Values: expected.py (torch).
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);

fn weighed(y) { return sum(y * reshape((iota(volume(y)) % 5) as f32 + 1.0, shape(y))) to B; }

fn product(a: f32[3, 4], b: f32[4, 2]) { return weighed(finish(a @ b)); }
fn batched(a: f32[2, 3, 4], b: f32[2, 4, 2]) { return weighed(finish(a @ b)); }
fn vectors(a: f32[3, 4], v: f32[4]) { return weighed(finish(a @ v)) + weighed(finish(v @ v)); }
fn reduced(a: f32[3, 4]) { return weighed(finish(sum(a * a, dim = 0))) + weighed(finish(mean(a * a, dim = 1))) + prod(a, dim = 1)[1] to B; }
fn extrema(a: f32[3, 4]) { return weighed(finish(max(a, dim = 1))) + weighed(finish(min(a, dim = 0))) + (max(a) to B) * 3.0; }
fn products(a: f32[3, 4]) { return weighed(finish(prod(a, dim = 0))); }
fn viewed(a: f32[3, 4]) { return weighed(finish(transpose(a))) + weighed(finish(reshape(a to B, [2, 6]))) + weighed(finish(permute(a, [1, 0]))); }
fn sliced(a: f32[3, 4]) { let b = a to B; return weighed(finish(b[1..3, ..2])) + weighed(finish(b[0])) + weighed(finish(b[.., -1])) + b[2, 2]; }
fn joined(a: f32[3, 4]) { let b = a to B; return weighed(finish(concat([b, b * b], dim = 0))) + weighed(finish(pad(b, before = 1, after = 2))); }
fn spread(v: f32[4]) { return weighed(finish(broadcast(v, [3, 4]))) + weighed(finish(v + ones([3, 1]))) + weighed(finish(outer(v to B, v))); }
fn table(t: f32[5, 3], i: i64[4]) { return weighed(finish((embed(t, i) to B) * embed(t, i))); }
fn added(u: f32[4, 2], i: i64[4]) { let s = scatter_add(i, u, rows = 3) to B; return weighed(finish(s * s)); }
fn picked(a: f32[4, 3], i: i64[4]) { return weighed(finish(pick(a * a, i))); }
fn soft(a: f32[3, 4]) { return weighed(finish(softmax(a))) + weighed(finish(log_softmax(a))) + weighed(finish(logsumexp(a))); }
fn normed(a: f32[3, 4], g: f32[4], h: f32[4]) { return weighed(finish(layernorm(a, g, h))) + weighed(finish(rmsnorm(a, g))) + weighed(finish(variance(a))); }
fn conv(x: f32[2, 2, 4, 4], w: f32[2, 2, 3, 3]) { return weighed(finish(conv2d(x, w, pad = 1))) + weighed(finish(conv2d(x, w, stride = 2, pad = 1))); }
fn pooled(x: f32[2, 2, 4, 4]) { return weighed(finish(max_pool2d(x))) + weighed(finish(avg_pool2d(x, size = 3, stride = 1))); }
fn cast(x: f32[3, 4]) { return (weighed(finish((x as f64 * 0.1) as f32 * x))) to B; }

main {
    let a = reshape((iota(12) * 5 % 12) as f32 * 0.5, [3, 4]) - 2.25 to @p : S(0);
    let b = reshape(iota(8) as f32, [4, 2]) * 0.25 to @p : B;
    let v = iota(4) as f32 - 1.0 to @p : S(0);
    let (p1, p2) = grad(product)(a, b);
    let (p3, p4) = grad(product)(a to S(1), b to S(0));
    print("product", p1 to B, p2 to B, p3 to B, p4 to B);
    let s = reshape(iota(24) as f32, [2, 3, 4]) * 0.1 to @p : S(0);
    let t = reshape(iota(16) as f32, [2, 4, 2]) * 0.1 to @p : S(0);
    let (b1, b2) = grad(batched)(s, t);
    print("batched", b1 to B, b2 to B);
    let (v1, v2) = grad(vectors)(a to S(1), v);
    print("vectors", v1 to B, v2 to B);
    print("reduced", grad(reduced)(a) to B, "extrema", grad(extrema)(a) to B, "products", grad(products)(a) to B);
    print("viewed", grad(viewed)(a) to B, "sliced", grad(sliced)(a) to B, "joined", grad(joined)(a) to B);
    print("spread", grad(spread)(v) to B);
    let i = iota(4) * 2 % 3 to @p : B;
    let five = reshape(iota(15) as f32, [5, 3]) * 0.5 to @p : S(0);
    print("tables", grad(table)(five, i) to B, grad(added)(b, i) to B, grad(picked)(five[..4] to B, i) to B);
    let (n1, n2, n3) = grad(normed)(a, v to B, v to B);
    print("normed", grad(soft)(a) to B, n1 to B, n2 to B, n3 to B);
    let x = reshape((iota(64) * 7 % 13) as f32, [2, 2, 4, 4]) to @p : S(0);
    let w = reshape((iota(36) * 5 % 7) as f32, [2, 2, 3, 3]) - 3.0 to @p : B;
    let (c1, c2) = grad(conv)(x, w);
    print("images", c1 to B, c2 to B, grad(pooled)(x) to B);
    print("cast", grad(cast)(a) to B);
}
