//% test 3 (1 2 4)
// Operators over tensors in parts, as libraries of distributed tensors test theirs: each gives what it gives on whole tensors, and a sum that is not
// finished takes no number twice.
import std.nn;
import std.loss;
place all = ranks(0..4);
place mesh = ranks(0..4) as (u = 2, v = 2);

fn values(n: int, m: int, key: int) { return normal(rng(key), [n, m]); }
fn same(a, b) { assert_close(a, b, rtol = 1e-5, atol = 1e-5); }
fn rows(x) { return x to @all : S(0); }
fn columns(x) { return x to @all : S(1); }
fn whole(x) { return x to @all : B; }

test "elementwise on equal layouts" {
    let x = values(5, 7, 1);
    let y = values(5, 7, 2);
    same(rows(x) + rows(y) * 2.0 to B, x + y * 2.0);
    same(columns(x) / (1.0 + square(columns(y))) to B, x / (1.0 + square(y)));
    same(where(rows(x) > rows(y), rows(x), rows(y)) to B, maximum(x, y));
}

test "a whole tensor beside a shard" {
    let x = values(5, 7, 1);
    let b = values(1, 7, 2)[0];
    same(rows(x) + whole(b) to B, x + b);
    same(columns(x) + (b to @all : S(0)) to B, x + b);
    same(whole(x) * rows(x) to B, x * x);
}

test "an unfinished sum and a finished tensor" {
    let a = values(4, 6, 1);
    let b = values(6, 5, 2);
    let c = values(4, 5, 3);
    same((columns(a) @ rows(b)) + whole(c) to B, a @ b + c);
    same(whole(c) - (columns(a) @ rows(b)) to B, c - a @ b);
    same((columns(a) @ rows(b)) * 3.0 to B, 3.0 * (a @ b));
    same((columns(a) @ rows(b)) * whole(c) to B, (a @ b) * c);
    same(-(columns(a) @ rows(b)) / 2.0 to B, (a @ b) / -2.0);
    same((columns(a) @ rows(b)) + (columns(a) @ rows(2.0 * b)) to B, 3.0 * (a @ b));
}

test "a number is added once to an unfinished sum" {
    let a = values(4, 6, 1);
    let b = values(6, 5, 2);
    same((columns(a) @ rows(b)) + 1.0 to B, a @ b + 1.0);
    same(1.0 - (columns(a) @ rows(b)) to B, 1.0 - a @ b);
    same((columns(a) @ rows(b)) + whole(ones([5])) to B, a @ b + 1.0);
}

test "reductions of unfinished sums" {
    let a = values(4, 6, 1);
    let b = values(6, 5, 2);
    same(sum((columns(a) @ rows(b))) to B, sum(a @ b));
    same(sum((columns(a) @ rows(b)), dim = 0) to B, sum(a @ b, dim = 0));
    same(mean((columns(a) @ rows(b)), dim = 1) to B, mean(a @ b, dim = 1));
    same(transpose((columns(a) @ rows(b))) to B, transpose(a @ b));
    same(reshape((columns(a) @ rows(b)), [2, 2, 5]) to B, reshape(a @ b, [2, 2, 5]));
    same((columns(a) @ rows(b))[1..3, 2] to B, (a @ b)[1..3, 2]);
}

test "products of matrices in all pairs of layouts" {
    let a = values(5, 6, 1);
    let b = values(6, 7, 2);
    same(rows(a) @ whole(b) to B, a @ b);
    same(whole(a) @ columns(b) to B, a @ b);
    same(columns(a) @ rows(b) to B, a @ b);
    same(whole(a) @ rows(b) to B, a @ b);
    same(columns(a) @ whole(b) to B, a @ b);
    same((columns(a) @ rows(b)) @ whole(transpose(b)) to B, a @ b @ transpose(b));
    same(whole(transpose(a)) @ (columns(a) @ rows(b)) to B, transpose(a) @ a @ b);
}

test "products on a mesh" {
    let a = values(6, 5, 1);
    let b = values(5, 7, 2);
    same((a to @mesh : (u=S(0), v=B)) @ (b to @mesh : (u=B, v=S(1))) to B, a @ b);
    same((a to @mesh : (u=S(0), v=S(1))) @ (b to @mesh : (u=B, v=S(0))) to B, a @ b);
    same((a to @mesh : (u=S(1), v=S(0))) @ (b to @mesh : (u=S(0), v=B)) to B, a @ b);
    same((a to @mesh : (u=S(0), v=S(0))) @ (b to @mesh : B) to B, a @ b);
    same((a to @mesh : (u=S(1), v=S(1))) @ (b to @mesh : (u=S(0), v=S(0))) to B, a @ b);
}

test "batched products" {
    let a = reshape(values(5, 24, 1), [5, 4, 6]);
    let b = reshape(values(5, 18, 2), [5, 6, 3]);
    same((a to @all : S(0)) @ (b to @all : S(0)) to B, a @ b);
    same((a to @all : S(1)) @ (b to @all : B) to B, a @ b);
    same((a to @all : B) @ (b to @all : S(2)) to B, a @ b);
    same((a to @all : S(2)) @ (b to @all : S(1)) to B, a @ b);
}

test "tables split by rows and by columns" {
    let table = values(10, 6, 1);
    let ids = [3, 0, 9, 9, 4, 7, 1] as i32;
    same(embed(rows(table), whole(ids)) to B, embed(table, ids));
    same(embed(columns(table), whole(ids)) to B, embed(table, ids));
    same(embed(whole(table), ids to @all : S(0)) to B, embed(table, ids));
    same(embed(rows(table), whole(ids)) * 2.0 to B, embed(table, ids) * 2.0);
}

fn picked(table, ids, weights) { return finish(sum(embed(table, ids) * weights)); }

test "gradients of tables" {
    let table = values(10, 6, 1);
    let ids = [3, 0, 9, 9, 4, 7, 1] as i32;
    let weights = values(7, 6, 3);
    let g = grad(picked, wrt = "table")(table, ids, weights);
    same(grad(picked, wrt = "table")(rows(table), whole(ids), whole(weights)) to B, g);
    same(grad(picked, wrt = "table")(columns(table), whole(ids), columns(weights)) to B, g);
    same(grad(picked, wrt = "table")(whole(table), ids to @all : S(0), rows(weights)) to B, g);
}

test "normalised rows" {
    let x = values(6, 8, 1);
    same(layernorm(rows(x), whole(ones([8])), whole(zeros([8]))) to B, layernorm(x, ones([8]), zeros([8])));
    same(rmsnorm(rows(x), whole(ones([8]))) to B, rmsnorm(x, ones([8])));
    same(softmax(rows(x)) to B, softmax(x));
    same(log_softmax(rows(x)) to B, log_softmax(x));
    same(softmax(columns(x), dim = 0) to B, softmax(x, dim = 0));
}

test "a softmax over classes in parts" {
    let x = values(6, 9, 1) * 20.0;
    same(softmax(columns(x)) to B, softmax(x));
    same(log_softmax(columns(x)) to B, log_softmax(x));
    same(logsumexp(columns(x), dim = 1) to B, logsumexp(x, dim = 1));
}

fn cost(x, t) { return finish(loss.cross_entropy(x, t)); }

test "losses over rows and over classes in parts" {
    let x = values(6, 9, 1) * 20.0;
    let t = [8, 0, 3, 3, 7, 1] as i32;
    same(cost(rows(x), t to @all : S(0)) to B, cost(x, t));
    same(cost(columns(x), whole(t)) to B, cost(x, t));
    same(grad(cost, wrt = "x")(rows(x), t to @all : S(0)) to B, grad(cost, wrt = "x")(x, t));
    same(grad(cost, wrt = "x")(columns(x), whole(t)) to B, grad(cost, wrt = "x")(x, t));
}

test "the greatest, the least and where they stand" {
    let x = values(6, 9, 1);
    same(max(columns(x), dim = 1) to B, max(x, dim = 1));
    same(min(rows(x)) to B, min(x));
    assert_equal(argmax(columns(x) to S(0)) to B, argmax(x));
    same(max(columns(x), dim = 1) * 2.0 + 1.0 to B, max(x, dim = 1) * 2.0 + 1.0);
    same(-max(columns(x), dim = 1) to B, -max(x, dim = 1));
    same(relu(min(columns(x), dim = 1)) to B, relu(min(x, dim = 1)));
}

test "means and deviations of uneven shards" {
    let x = values(7, 5, 1);
    same(mean(rows(x)) to B, mean(x));
    same(mean(columns(x), dim = 1) to B, mean(x, dim = 1));
    same(variance(rows(x), dim = 0) to B, variance(x, dim = 0));
    same(std(columns(x), dim = 1) to B, std(x, dim = 1));
    same(norm(rows(x)) to B, norm(x));
}

test "fewer rows than ranks" {
    let x = values(2, 5, 1);
    same(rows(x) + 1.0 to B, x + 1.0);
    same(sum(rows(x)) to B, sum(x));
    same(max(rows(x), dim = 0) to B, max(x, dim = 0));
    same(mean(rows(x)) to B, mean(x));
    same(rows(x) @ whole(transpose(x)) to B, x @ transpose(x));
    same(softmax(columns(transpose(x))) to B, softmax(transpose(x)));
}

test "shapes of shards" {
    let x = reshape(values(12, 20, 1), [12, 4, 5]);
    same(reshape(x to @all : S(0), [48, 5]) to B, reshape(x, [48, 5]));
    same(reshape(x to @all : S(0), [240]) to B, reshape(x, [240]));
    same(reshape(x to @all : S(2), [48, 5]) to B, reshape(x, [48, 5]));
    same(reshape(x to @all : S(0), [12, 20]) to B, reshape(x, [12, 20]));
    same(permute(x to @all : S(1), [2, 1, 0]) to B, permute(x, [2, 1, 0]));
    same(transpose(rows(values(12, 6, 2))) to B, transpose(values(12, 6, 2)));
    same(unsqueeze(rows(values(12, 6, 2)), dim = 0) to B, unsqueeze(values(12, 6, 2), dim = 0));
}

test "parts of shards" {
    let x = values(9, 6, 1);
    same(rows(x)[2..7] to B, x[2..7]);
    same(rows(x)[.., 1..4] to B, x[.., 1..4]);
    same(rows(x)[-1] to B, x[8]);
    same(columns(x)[3] to B, x[3]);
    same(take(rows(x), whole([4, 0, 5] as i32)) to B, take(x, [4, 0, 5] as i32));
    same(flip(rows(x), dim = 0) to B, flip(x, dim = 0));
    same(roll(rows(x), 3, dim = 0) to B, roll(x, 3, dim = 0));
    same(roll(rows(x), -10, dim = 0) to B, roll(x, -10, dim = 0));
}

test "joined shards" {
    let x = values(6, 4, 1);
    let y = values(3, 4, 2);
    same(concat([rows(x), rows(y)], dim = 0) to B, concat([x, y], dim = 0));
    same(concat([rows(x), rows(x * 2.0)], dim = 1) to B, concat([x, x * 2.0], dim = 1));
    same(stack([columns(x), columns(-x)], dim = 0) to B, stack([x, -x], dim = 0));
    same(tile(rows(x), [1, 3]) to B, tile(x, [1, 3]));
    same(pad(rows(x), 1, 2, dim = 1) to B, pad(x, 1, 2, dim = 1));
}

test "running sums, sorts and the largest" {
    let x = values(6, 8, 1);
    same(cumsum(rows(x), dim = 1) to B, cumsum(x, dim = 1));
    same(cumsum(columns(x), dim = 1) to B, cumsum(x, dim = 1));
    same(sort(rows(x), dim = 1) to B, sort(x, dim = 1));
    let (v, i) = top_k(rows(x), 3);
    let (w, j) = top_k(x, 3);
    same(v to B, w);
    assert_equal(i to B, j);
}

test "draws do not know where they are" {
    let u = uniform(rng(7), [5, 6]);
    assert_equal(uniform(rng(7), [5, 6]) to @all : S(0) to B, u);
    assert_equal(uniform(rng(7), [5, 6]) to @all : S(1) to B, u);
    assert_equal(uniform(rng(7), [5, 6]) to @mesh : (u=S(1), v=S(0)) to B, u);
    same(nn.dropout(rows(u), rng(3), p = 0.5) to B, nn.dropout(u, rng(3), p = 0.5));
    same(nn.dropout(columns(u), rng(3), p = 0.5) to B, nn.dropout(u, rng(3), p = 0.5));
    assert(any(uniform(rng(8), [5, 6]) != u));
}

test "images in parts" {
    let x = reshape(values(6, 54, 1), [6, 2, 3, 9]);
    let w = reshape(values(4, 12, 2), [4, 2, 2, 3]);
    same(conv2d(x to @all : S(0), w to @all : B) to B, conv2d(x, w));
    same(conv2d(x to @all : B, w to @all : S(0)) to B, conv2d(x, w));
    same(conv2d(x to @all : S(1), w to @all : S(1)) to B, conv2d(x, w));
    same(max_pool2d(x to @all : S(0), 2, stride = 1) to B, max_pool2d(x, 2, stride = 1));
}

test "where and masks" {
    let x = values(6, 5, 1);
    let m = x > 0.0;
    same(where(rows(m), rows(x), 0.0) to B, where(m, x, 0.0));
    assert_equal(sum(rows(m)) to B, sum(m));
    assert_equal(any(columns(m), dim = 1) to B, any(m, dim = 1));
    same(tril(rows(values(5, 5, 2))) to B, tril(values(5, 5, 2)));
    same(one_hot([2, 0, 4, 1, 1, 3] as i32 to @all : S(0), 5) as f32 to B, one_hot([2, 0, 4, 1, 1, 3] as i32, 5) as f32);
}
