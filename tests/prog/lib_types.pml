//% test 2 (1 4)
// Functions of the library that are written for floats take all of them: f64 and 16 bits against f32.
import std.loss;
import std.nn;
place all = ranks(0..4);

state seen : nn.Seen[4, all];
state narrow : nn.Seen[4, all];
struct Wide[p: place] { mean : f64[4] @ p = zeros(), variance : f64[4] @ p = ones() }
state wide : Wide[all];
struct Past[p: place] { k : f64[4, 2, 3, 4] @ p : S(0) = zeros(), v : f64[4, 2, 3, 4] @ p : S(0) = zeros() }
cache past : Past[all];

fn images() { return normal(rng(1), [4, 4, 2, 6]) to @all : S(0); }

test "losses over a part of the rows" {
    let x = normal(rng(1), [5, 4]) to @all : S(0);
    let t = [1, 0, 3, 2, 2] as i32;
    let right = loss.cross_entropy(x, t, ignore = 2) to B;
    assert_close((loss.cross_entropy(x as f64, t, ignore = 2) to B) as f32, right);
    assert_close((loss.cross_entropy(x as bf16, t, ignore = 2) to B) as f32, right, rtol = 0.02);
    assert_close((loss.cross_entropy(x as f64, t, ignore = 2, smoothing = 0.1) to B) as f32, loss.cross_entropy(x, t, ignore = 2, smoothing = 0.1) to B);
}

test "layers" {
    let x = images();
    let (one, zero) = (ones([4]), zeros([4]));
    let y = nn.groupnorm(x, one, zero, groups = 2);
    assert_close(nn.groupnorm(x as f64, one as f64, zero as f64, groups = 2) as f32, y, atol = 1e-5);
    assert_close(nn.groupnorm(x as bf16, one as bf16, zero as bf16, groups = 2) as f32, y, atol = 0.05);
    assert_close(nn.global_pool(x as f64) as f32, nn.global_pool(x), atol = 1e-5);
    assert_close(nn.patches(x as f64, 2) as f32, nn.patches(x, 2));
    assert_close(nn.rotary(x as f64) as f32, nn.rotary(x), atol = 1e-5);
    assert_close(nn.rotary(x as bf16) as f32, nn.rotary(x), atol = 0.05);
    let z = nn.batchnorm(x, one, zero, seen);
    assert_close(nn.batchnorm(x as f64, one as f64, zero as f64, narrow) as f32, z, atol = 1e-5);
    assert_close(narrow.variance, seen.variance);
    assert_close(nn.batchnorm(x as f64, one as f64, zero as f64, wide) as f32, z, atol = 1e-5);
    assert_close(wide.variance as f32, seen.variance);
    assert_close(nn.batchnorm(x as f64, one as f64, zero as f64, narrow, training = false) as f32, nn.batchnorm(x, one, zero, seen, training = false), atol = 1e-5);
}

test "experts" {
    let x = normal(rng(1), [4, 6, 3]) to @all : S(0);
    let (table, place, weight, balance) = nn.route(x, k = 2, capacity = 3);
    let (table64, place64, weight64, balance64) = nn.route(x as f64, k = 2, capacity = 3);
    assert_equal(table64, table);
    assert_close((balance64 to B) as f32, balance to B);
    let y = nn.combine(nn.dispatch(x, table, experts = 3), place, weight, k = 2);
    assert_close(nn.combine(nn.dispatch(x as f64, table64, experts = 3), place64, weight64, k = 2) as f32, y);
}

test "attention of f16, where nothing is seen" {
    let q = normal(rng(1), [4, 2, 3, 4]) to @all : S(0);
    let k = normal(rng(2), [4, 2, 3, 4]) to @all : S(0);
    let v = normal(rng(3), [4, 2, 3, 4]) to @all : S(0);
    let nothing = bernoulli(rng(4), [4, 3, 3], p = 0.0) to @all : S(0);
    let o = nn.attention(q as f16, k as f16, v as f16, causal = false, mask = nothing);
    assert_close(o as f32, 0.0 * v + unsqueeze(mean(v, dim = 2), dim = 2), atol = 5e-3);
    assert_close(nn.attention(q as f16, k as f16, v as f16) as f32, nn.attention(q, k, v), atol = 5e-3);
    let (a, b, c) = (q as f64, k as f64, v as f64);
    let step = nn.attention_step(a[.., .., 0..1, ..], b[.., .., 0..1, ..], c[.., .., 0..1, ..], past, 0);
    assert_close(step as f32, v[.., .., 0..1, ..], rtol = 1e-5);
}

fn doubled[n, t: float](x: t[n]) -> t[n] { return x + x; }
fn both[n, t: float](x: t[n], y: t[n]) { return x * y; }
fn any_float(x: float[..]) { return sum(x); }
fn any_int[t: int](x: t[..]) { return sum(x); }

test "lists where the type of elements is open" {
    assert_equal(doubled([1.5, 2.0]), [3.0, 4.0] as f32);
    assert_equal(doubled([1, 2]), [2.0, 4.0] as f32);
    assert_equal(both([1.0, 2.0] as f64, [0.1, 3.0]), [0.1, 6.0] as f64);
    assert_equal(any_float([1, 2]), 3.0 as f32);
    assert_equal(any_int([[1, 2], [3, 4]]), 10 as i32);
    assert_close(loss.cross_entropy([[0.0, 0.0]], [1]), 0.693147);
}
