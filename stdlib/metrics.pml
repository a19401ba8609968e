// metrics.pml — how good a model is.
//
// The examples stand in `main` of a program that begins with
//
//     import std.metrics;

import std.loss;

// Which lines have their largest element at their label.
fn hits[t: int](logits, labels: t[..]) {
    let hit = argmax(logits) == labels as i32;
    loss.check_labels(hit, logits, labels);
    return hit;
}

/// How many of logits[.., classes] have their largest element at labels[..]: i32.
///     print(metrics.correct([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]], [1, 0, 0] as i32));    // 2
fn correct[t: int](logits, labels: t[..]) {
    return sum(hits(logits, labels));
}

/// The share of rows whose largest logit is at the label.
///     print(metrics.accuracy([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]], [1, 0, 0] as i32));    // 0.666667
fn accuracy[t: int](logits, labels: t[..]) {
    return mean(hits(logits, labels) as f32);
}

/// The share of rows whose label is among the k largest of logits[.., classes].
///     print(metrics.top_accuracy([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]], [1, 2] as i32, 2));    // 0.5
fn top_accuracy[t: int](logits, labels: t[..], k: int) {
    let (values, classes) = top_k(logits, k);
    loss.check_labels(is_label(classes, labels as i32)[.., 0], logits, labels);
    return mean(sum_along(is_label(classes, labels as i32) as f32));
}

/// How often label i was taken for class j, of logits[.., classes] and labels[..]: i32[classes, classes], rows are labels.
///     print(metrics.confusion([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]] as f32, [1, 0, 0] as i32));
///     // [[1, 1],
///     //  [0, 1]]
fn confusion[t: int](logits, labels: t[..]) {
    let n = shape(logits)[-1];
    let taken = reshape(one_hot(argmax(logits), n, dtype = i32), [-1, n]);
    let meant = reshape(one_hot(labels as i32, n, dtype = i32), [-1, n]);
    let c[i, j] = sum[r] meant[r, i] * taken[r, j];
    return c;
}

/// Of what was taken for each class, the share that was it: f32[classes] of a finished confusion[classes, classes]; 0 where nothing was.
///     print(metrics.precision([[1, 1], [0, 1]] as i32));    // [1, 0.5]
fn precision(confusion) {
    return share(confusion, sum(confusion, dim = 0));
}

/// Of what was each class, the share that was taken for it.
///     print(metrics.recall([[1, 1], [0, 1]] as i32));    // [0.5, 1]
fn recall(confusion) {
    return share(confusion, sum(confusion, dim = 1));
}

/// The harmonic mean of precision and recall of each class.
///     print(metrics.f1([[1, 1], [0, 1]] as i32));    // [0.666667, 0.666667]
fn f1(confusion) {
    let p = precision(confusion);
    let r = recall(confusion);
    return 2.0 * p * r / max(p + r, 1e-30);
}

fn share(c, all) {
    let right[i] = c[i, i];
    return right as f32 / max(all as f32, 1.0);
}

/// The share of the variance of t that y explains: 1 - sum (t - y)^2 / sum (t - mean t)^2.
///     print(metrics.r2([1.0, 2.0, 3.0] as f32, [1.0, 2.0, 4.0] as f32));    // 0.785714
fn r2(y, t) {
    let d = t - y;
    loss.check_beside(d, y, t);
    let c = t - finish(mean(t));
    return 1.0 - finish(sum(d * d)) / finish(sum(c * c));
}

/// exp of a mean cross entropy: of how many equally likely classes the model chooses.
///     print(metrics.perplexity(ln(8.0)));    // 8
fn perplexity(loss) {
    return exp(loss);
}

/// A mean cross entropy in bits.
///     print(metrics.bits(ln(8.0)));    // 3
fn bits(loss) {
    return loss / 0.6931471805599453;
}

op is_label(c[.., k]: int, i[..]: int) -> [.., k] = c == i;
