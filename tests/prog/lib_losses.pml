//% test 2 (1 4)
// Losses against their definitions, in several layouts, and their derivatives against differences; functions that let maxima pass.
import std.loss;
place all = ranks(0..4);

fn logits() { return 2.0 * normal(rng(1), [8, 3], dtype = f64); }
fn other() { return normal(rng(2), [8, 3], dtype = f64); }
fn hits() { return bernoulli(rng(3), [8, 3]) as f64; }
fn probability(x) { return 1.0 / (1.0 + exp(-x)); }
fn unit(x) { return div_along(x, norm(x, dim = 1)); }

fn focal(x) { return finish(loss.focal(x, hits(), gamma = 1.5, alpha = 0.3)); }
fn by_mean(x) { return finish(loss.normal_nll(x, other(), 0.5 * x)); }
fn counts(x) { return finish(loss.poisson_nll(x, 3.0 * hits())); }
fn overlap(x) { return finish(loss.dice(probability(x), hits())); }
op root_above_0(a[..]) -> [..] = sqrt(max(a, 0));
fn pairs(x) { return finish(loss.info_nce(x, other())); }

test "values" {
    let x = logits() to @all : S(0);
    let t = hits() to @all : S(0);
    let p = probability(x);
    let right = t * p + (1.0 - t) * (1.0 - p);
    assert_close(loss.focal(x, t, gamma = 0.0) to B, loss.binary_cross_entropy(x, t) to B, rtol = 1e-13);
    assert_close(loss.focal(x, t) to B, mean(-((1.0 - right) ** 2.0) * ln(right)) to B, rtol = 1e-12);
    assert_close(loss.focal(x, t, alpha = 0.3) to B, mean(-(0.7 - 0.4 * t) * (1.0 - right) ** 2.0 * ln(right)) to B, rtol = 1e-12);
    assert_close(loss.focal([100.0, -100.0] as f32, [1.0, 0.0] as f32), 0.0);
    assert_close(loss.focal([100.0, -100.0] as f32, [0.0, 1.0] as f32), 100.0);
    assert_close(loss.dice(t, t), 0.0);
    assert_close(loss.dice(t, 1.0 - t), 1.0 - 1.0 / 25.0);
    let u = unit(x);
    let v = unit(other() to @all : B);
    let z = 10.0 * (u @ transpose(v));
    assert_close(loss.info_nce(x, other()) to B, loss.cross_entropy(z, iota(8) as i32) to B, rtol = 1e-12);
    assert_close(loss.info_nce(x to S(1), other()) to B, loss.info_nce(x, other()) to B, rtol = 1e-12);
}

test "labels of several dimensions are those of as many lines" {
    let z = normal(rng(4), [2, 4, 3], dtype = f64) to @all : S(1);
    let t = reshape((iota(8) * 5 % 3) as i32, [2, 4]) to @all : S(1);
    let (lines, labels) = (reshape(z to B, [8, 3]), reshape(t to B, [8]));
    let w = [1.0, 2.5, 0.5] as f64;
    assert_close(loss.cross_entropy(z, t, weights = w) to B, loss.cross_entropy(lines, labels, weights = w), rtol = 1e-13);
    assert_close(loss.cross_entropy(z, t, weights = w, smoothing = 0.2, ignore = 1) to B,
                 loss.cross_entropy(lines, labels, weights = w, smoothing = 0.2, ignore = 1), rtol = 1e-13);
    assert_close(loss.nll(log_softmax(z), t, weights = w, ignore = 0) to B, loss.cross_entropy(lines, labels, weights = w, ignore = 0), rtol = 1e-13);
    let by_hand[i] = w[labels[i]] * log_softmax(lines)[i, labels[i]];
    assert_close(loss.cross_entropy(z, t, weights = w) to B, -sum(by_hand) / sum(w[labels]), rtol = 1e-13);
}

test "derivatives" {
    let x = logits() to @all : S(0);
    check_gradient(focal, x);
    check_gradient(by_mean, x);
    check_gradient(counts, x);
    check_gradient(overlap, x);
    check_gradient(pairs, x);
}

test "maxima pass what rises" {
    let x = 3.0 * other() to @all : S(0);
    let top = max(x, dim = 0);
    assert_equal(round(top) to B, round(top to B));
    assert_equal(softplus(top) to B, softplus(top to B));
    assert_equal(root_above_0(top) to B, sqrt(relu(top to B)));
    assert_equal(ln(1.0 + exp(-top)) to B, ln(1.0 + exp(-(top to B))));
    assert_equal(atan(top) to B, atan(top to B));
    assert_equal(round([0.5, 1.5, 2.5, -0.5, -1.2, 1e30, 0.49999997] as f32), [0.0, 2.0, 2.0, -0.0, -1.0, 1e30, 0.0]);
    for i in 0..3 { assert(round(i + 0.5) == 2.0 * floor(i / 2.0 + 0.5)); }
    for i in 1..3 { assert_close(softplus(-20.0 * i) * exp(20.0 * i), 1.0, rtol = 1e-8); }
}
