//% test 4 (1 2 3)
// Programs that per-rank libraries write with collectives of their own, and the strategies of systems that find splits: what stands here as layouts computes the same.
// Each loss is compared with that of whole tensors, each gradient too.
import std.nn;
import std.loss;
import std.optim;
place all = ranks(0..4);
place mesh = ranks(0..4) as (dp = 2, tp = 2);
place front = ranks(0..2);
place back = ranks(2..4);

fn values(n: int, m: int, key: int) { return normal(rng(key), [n, m]) * 0.5; }
fn same(a, b) { assert_close(a, b, rtol = 1e-4, atol = 1e-5); }

test "psum, pmax, pmean, all_gather, psum_scatter, all_to_all" {
    let x = values(8, 12, 1);
    let y = x to @all : S(0);
    same(sum(y, dim = 0) to B, sum(x, dim = 0));
    same(max(y, dim = 0) to B, max(x, dim = 0));
    same(min(y, dim = 0) to B, min(x, dim = 0));
    same(mean(y, dim = 0) to B, mean(x, dim = 0));
    same(y to B, x);
    same(sum(y, dim = 0) to S(0) to B, sum(x, dim = 0));
    same(y to S(1) to B, x);
    same((y to S(1)) * 2.0 to S(0) to B, x * 2.0);
}

test "ppermute is a roll" {
    let x = values(8, 3, 1);
    same(roll(x to @all : S(0), 2, dim = 0) to B, roll(x, 2, dim = 0));
    var y = x to @all : S(0);
    for i in 0..4 { y = roll(y, 2, dim = 0) to S(0); }
    same(y to B, x);
}

test "axis_index is a range" {
    let rank = iota(4) to @all : S(0);
    assert_equal(rank * 10 to B, [0, 10, 20, 30]);
}

fn mlp(x, w, v) { return mean(square(gelu(x @ w) @ v to B)); }
fn mlp_dp(x, w, v) { return mean(square(gelu(x @ w) @ v)) to B; }
fn mlp_whole(x, w, v) { return mean(square(gelu(x @ w) @ v)); }

test "a perceptron split by rows, by columns and rows, and both" {
    let x = values(8, 6, 1);
    let w = values(6, 12, 2);
    let v = values(12, 6, 3);
    let l = mlp_whole(x, w, v);
    let (gx, gw, gv) = grad(mlp_whole)(x, w, v);
    same(mlp_dp(x to @all : S(0), w to @all : B, v to @all : B), l);
    same(mlp(x to @all : B, w to @all : S(1), v to @all : S(0)), l);
    let (ax, aw, av) = grad(mlp_dp)(x to @all : S(0), w to @all : B, v to @all : B);
    same(ax to B, gx);
    same(aw to B, gw);
    same(av to B, gv);
    let (bx, bw, bv) = grad(mlp)(x to @all : B, w to @all : S(1), v to @all : S(0));
    same(bx to B, gx);
    same(bw to B, gw);
    same(bv to B, gv);
}

fn mesh_mlp(x, w, v) { return mean(square(gelu(x @ w) @ v to (dp=S(0), tp=B))) to B; }

test "rows over one axis, columns over the other" {
    let x = values(8, 6, 1);
    let w = values(6, 12, 2);
    let v = values(12, 6, 3);
    let (ax, aw, av) = grad(mesh_mlp)(x to @mesh : (dp=S(0), tp=B), w to @mesh : (dp=B, tp=S(1)), v to @mesh : (dp=B, tp=S(0)));
    let (gx, gw, gv) = grad(mlp_whole)(x, w, v);
    same(ax to B, gx);
    same(aw to B, gw);
    same(av to B, gv);
}

test "weights gathered before use, gradients in shares" {
    let x = values(8, 6, 1);
    let w = values(6, 12, 2);
    let v = values(12, 6, 3);
    let (l, (gx, gw, gv)) = vjp(mlp_whole)(x, w, v, 1.0);
    let (m, (ax, aw, av)) = vjp(gathered)(x to @all : S(0), w to @all : S(0), v to @all : S(0), 1.0);
    same(m, l);
    same(aw to B, gw);
    same(av to B, gv);
}
fn gathered(x, w, v) { return mean(square(gelu(x @ (w to B)) @ (v to B))) to B; }

test "attention with heads in parts, and with tokens in parts" {
    let q = reshape(values(2, 4 * 6 * 3, 1), [2, 4, 6, 3]);
    let k = reshape(values(2, 4 * 6 * 3, 2), [2, 4, 6, 3]);
    let v = reshape(values(2, 4 * 6 * 3, 3), [2, 4, 6, 3]);
    let y = nn.attention(q, k, v);
    same(nn.attention(q to @all : S(1), k to @all : S(1), v to @all : S(1)) to B, y);
    same(nn.attention(q to @all : S(0), k to @all : S(0), v to @all : S(0)) to B, y);
    same(nn.attention(q to @all : S(2), k to @all : B, v to @all : B) to B, y);
}

test "two stages on two placements" {
    let x = values(8, 6, 1);
    let w = values(6, 12, 2);
    let v = values(12, 6, 3);
    let (gx, gw, gv) = grad(mlp_whole)(x, w, v);
    let (ax, aw, av) = grad(staged)(x to @front : S(0), w to @front : B, v to @back : B);
    same(ax to B, gx);
    same(aw to B, gw);
    same(av to B, gv);
}
fn staged(x, w, v) { return mean(square((gelu(x @ w) to @back : S(0)) @ v)) to B; }

test "a mesh seen as another" {
    let x = values(8, 6, 1);
    let y = x to @mesh : (dp=S(0), tp=S(1));
    same(y to @all : S(1) to B, x);
    same(y to (dp=S(1), tp=S(0)) to B, x);
    same(y to @front : S(0) to B, x);
    same(y to @back : B, x);
}

// A table of signatures, as SBP lists them: operands, result.
test "signatures of products" {
    let x = values(4, 6, 1);
    let y = values(6, 5, 2);
    let z = x @ y;
    same((x to @all : S(0)) @ (y to @all : B) to B, z);
    same((x to @all : B) @ (y to @all : S(1)) to B, z);
    same((x to @all : S(1)) @ (y to @all : S(0)) to B, z);
    same((partial(x)) @ (y to @all : B) to B, z);
    same((x to @all : B) @ (partial(y)) to B, z);
}
// x as the sum of parts.
fn partial[n, m](x: f32[n, m]) -> f32[n, m] @ all : P(sum) {
    return (x to @all : S(1)) @ (eye(m) to @all : S(0));
}

test "signatures of elementwise operators and reductions" {
    let x = values(4, 6, 1);
    let y = values(4, 6, 2);
    same(partial(x) + partial(y) to B, x + y);
    same(partial(x) - partial(y) to B, x - y);
    same(partial(x) * (y to @all : B) to B, x * y);
    same(partial(x) / (1.0 + square(y) to @all : B) to B, x / (1.0 + square(y)));
    same(sum(partial(x), dim = 1) to B, sum(x, dim = 1));
    same(where((y > 0.0) to @all : B, partial(x), partial(y)) to B, where(y > 0.0, x, y));
    same(concat([partial(x), partial(y)], dim = 0) to B, concat([x, y], dim = 0));
    same(partial(x)[1..3] to B, x[1..3]);
    same(pad(partial(x), 1, 1, dim = 0) to B, pad(x, 1, 1, dim = 0));
    same(embed(partial(x), [3, 0] as i32 to @all : B) to B, x[[3, 0] as i32]);
    same(cumsum(partial(x), dim = 1) to B, cumsum(x, dim = 1));
    same(partial(x) to S(0) to B, x);
    same(partial(x) to S(1) to B, x);
}

param w1 : f32[6, 12] @ mesh : (tp=S(1)) = normal(std = 0.3);
param w2 : f32[12, 6] @ mesh : (tp=S(0)) = normal(std = 0.3);
param u1 : f32[6, 12] @ mesh : B = zeros();
param u2 : f32[12, 6] @ mesh : B = zeros();
fn split_loss(x, t) { let y = (tanh(x @ w1) @ w2) to (tp=B); return mean(square(y - t)) to B; }
fn plain_loss(x, t) { return mean(square(tanh(x @ u1) @ u2 - t)) to B; }

test "twenty steps of AdamW, split and whole" {
    u1 = w1 to B;
    u2 = w2 to B;
    for step in 0..20 {
        let x = values(8, 6, step);
        let t = flip(x, dim = 1);
        let (l, g) = value_and_grad(split_loss)(x to @mesh : (dp=S(0)), t to @mesh : (dp=S(0)));
        optim.adamw(g, lr = 0.01, weight_decay = 0.1);
        let (m, h) = value_and_grad(plain_loss)(x to @mesh : (dp=S(0)), t to @mesh : (dp=S(0)));
        optim.adamw(h, lr = 0.01, weight_decay = 0.1);
        same(l, m);
    }
    same(w1 to B, u1 to B);
    same(w2 to B, u2 to B);
}

test "clipped gradients have one norm" {
    u1 = w1 to B;
    u2 = w2 to B;
    let x = values(8, 6, 7);
    let g = optim.clip_norm(grad(split_loss)(x to @mesh : (dp=S(0)), x to @mesh : (dp=S(0))), 0.01);
    let h = optim.clip_norm(grad(plain_loss)(x to @mesh : (dp=S(0)), x to @mesh : (dp=S(0))), 0.01);
    same(g.w1 to B, h.u1 to B);
    same(g.w2 to B, h.u2 to B);
}
