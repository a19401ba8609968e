// loss.pml — losses. All are means over the logical batch, whatever the layouts; most take reduction = "sum", or "none" for what the mean is of.
//
// The examples stand in `main` of a program that begins with
//
//     import std.loss;

// What a loss gives of its elements, which are rows or numbers.
fn reduced(x, reduction: string) {
    assert(reduction == "mean" || reduction == "sum" || reduction == "none", message = "a reduction is \"mean\", \"sum\" or \"none\"");
    if reduction == "none" { return x; }
    return if reduction == "sum" => sum(x) else mean(x);
}

// The same of elements that come from y and t beside each other.
fn reduced_beside(x, y, t, reduction: string) {
    check_beside(x, y, t);
    return reduced(x, reduction);
}

// Numbers and lines go on to the other side; [n, 1] beside [n] would be each with each, which no loss means.
fn check_beside(x, y, t) {
    if is_tensor(y) && is_tensor(t) {
        assert(shape(x) == shape(y) || shape(x) == shape(t), message = "both sides have one shape: [n, 1] beside [n] would be [n, n], each with each");
    }
}
fn check_labels(rows, logits, labels) {
    if is_tensor(logits) {
        assert(shape(rows) == shape(logits)[0..-1] || volume(logits) == shape(logits)[-1],
               message = "there is a label for each line: of logits[n, classes] they are [n]; [n, classes] is for `loss.soft_cross_entropy`");
    }
}

/// Cross entropy of logits[.., classes] and integer labels[..] below classes, averaged: one float. Where rows or classes are split, it is an
/// unfinished sum (`to B` finishes it); split classes exchange a maximum and a sum per row, never the logits. smoothing: that share of
/// the target is spread evenly over all classes (Szegedy et al., 2016). ignore: rows with this label count for nothing, the mean is over the others.
/// weights[classes]: how much rows of each class count, of which the mean is one by weight; with smoothing each class counts by its own.
/// reduction: "sum", or "none" for the loss of each row.
///     print(loss.cross_entropy([[0.0, 0.0], [9.0, 0.0]], [1, 0] as i32));    // 0.346635
///     print(loss.cross_entropy([[0.0, 0.0], [9.0, 0.0]] as f32, [1, 0] as i32, weights = [1.0, 3.0] as f32));    // 0.519891
fn cross_entropy[t: int](logits, labels: t[..], smoothing = 0.0, ignore = none, weights = none, reduction: string = "mean") {
    let counted = if ignore == none => none else labels != ignore;
    let known = if ignore == none => labels else where(counted, labels, 0);
    let rows = if weights == none => entropies(logits, known, smoothing) else weighed_entropies(logits, known, smoothing, weights);
    check_labels(rows, logits, labels);
    return reduced_rows(rows, known, counted, weights, reduction);
}

fn entropies(logits, labels, smoothing) {
    let m = stop_gradient(finish(max_along(logits)));
    let z = sub_along(logits, m);
    let all = ln(finish(sum_along(exp(z))));
    if is_known(smoothing) && smoothing == 0.0 { return all - pick(z, labels); }
    return all - (1.0 - smoothing) * pick(z, labels) - smoothing * mean_along(z);
}

fn weighed_entropies(logits, labels, smoothing, weights) {
    let log_p = log_softmax(logits);
    let rows = -weights[labels] * pick(log_p, labels);
    if is_known(smoothing) && smoothing == 0.0 { return rows; }
    return (1.0 - smoothing) * rows - smoothing * mean_along(log_p * weights);
}

// The losses of rows of these labels, weighed already, of which those count where counted holds, if it is given.
fn reduced_rows(rows, labels, counted, weights, reduction: string) {
    if counted == none && weights == none { return reduced(rows, reduction); }
    let there = if counted == none => rows else where(counted, rows, 0.0);
    if reduction != "mean" { return reduced(there, reduction); }
    if weights == none { return mean_where(rows, counted); }
    let by = weights[labels];
    let total = finish(sum(if counted == none => by else where(counted, by, 0.0)));
    return sum(there) / total;
}

/// The mean of x[..] over those elements where counted[..] holds: the loss of a masked or padded batch. 0 where none does.
///     print(loss.mean_where([1.0, 2.0, 9.0], iota(3) < 2));    // 1.5
fn mean_where[t: float](x: t[..], counted) {
    return sum(where(counted, x, 0.0)) / (max(finish(sum(counted)), 1) as t);
}

/// The mean of -log_p[.., classes] at the labels[..]; ignore, weights and reduction as of `cross_entropy`.
///     print(loss.nll(log_softmax([[0.0, 0.0]]), [1] as i32));    // 0.693147
fn nll[t: int](log_p, labels: t[..], ignore = none, weights = none, reduction: string = "mean") {
    let counted = if ignore == none => none else labels != ignore;
    let known = if ignore == none => labels else where(counted, labels, 0);
    let rows = -pick(log_p, known);
    check_labels(rows, log_p, labels);
    return reduced_rows(if weights == none => rows else weights[known] * rows, known, counted, weights, reduction);
}

/// Cross entropy of logits[.., classes] and probabilities targets[.., classes], averaged over rows.
///     print(loss.soft_cross_entropy([[0.0, 0.0]], [[0.25, 0.75]]));    // 0.693147
fn soft_cross_entropy(logits, targets, reduction: string = "mean") {
    let parts = targets * log_softmax(logits);
    check_beside(parts, logits, targets);
    return reduced(-sum_along(parts), reduction);
}

/// The Kullback-Leibler divergence of softmax(logits) from the probabilities targets, both [.., classes], averaged over rows.
///     print(loss.kl_divergence([[0.0, 0.0]] as f32, [[0.25, 0.75]] as f32));    // 0.130812
fn kl_divergence(logits, targets, reduction: string = "mean") {
    let known = ln(where(targets > 0.0, targets, 1.0));
    let parts = targets * (known - log_softmax(logits));
    check_beside(parts, logits, targets);
    return reduced(sum_along(parts), reduction);
}

/// The divergence of normal distributions with mean[n, d] and exp(log_variance[n, d]) from the standard one, averaged over rows (Kingma, Welling, 2014).
///     print(loss.kl_normal([[0.0, 1.0]] as f32, [[0.0, 0.0]] as f32));    // 0.5
fn kl_normal(mean_of, log_variance, reduction: string = "mean") {
    let parts = mean_of * mean_of + exp(log_variance) - log_variance - 1.0;
    check_beside(parts, mean_of, log_variance);
    return reduced(0.5 * sum_along(parts), reduction);
}

/// The mean squared difference.
///     print(loss.mse([1.0, 2.0] as f32, [1.0, 4.0]));    // 2
///     print(loss.mse([1.0, 2.0] as f32, [1.0, 4.0], reduction = "none"));    // [0, 4]
fn mse(y, t, reduction: string = "mean") {
    let d = y - t;
    return reduced_beside(d * d, y, t, reduction);
}

/// Cross entropy of logits and targets in [0, 1], elementwise, averaged. positive: how many times as much ones count as zeros, a number or one for each
/// of the last dimension; weights: how much each element counts, a tensor that fits the logits.
///     print(loss.binary_cross_entropy([0.0, 2.0] as f32, [1.0, 1.0]));    // 0.410038
///     print(loss.binary_cross_entropy([0.0, 2.0] as f32, [1.0, 1.0] as f32, positive = 3.0));    // 1.23011
fn binary_cross_entropy(logits, targets, positive = none, weights = none, reduction: string = "mean") {
    let each_one = if positive == none => softplus(logits) - logits * targets
        else (1.0 - targets) * logits + (1.0 + (positive - 1.0) * targets) * softplus(-logits);
    check_beside(each_one, logits, targets);
    return reduced(if weights == none => each_one else weights * each_one, reduction);
}

/// Cross entropy of logits and targets 0 or 1, each times (1 - p)^gamma, where p is the probability of the target: what is sure already counts for
/// little; alpha: the weight of the ones, 1 - alpha that of the zeros (Lin et al., 2017). Averaged.
///     print(loss.focal([0.0, 4.0, -1.0] as f32, [1.0, 1.0, 0.0] as f32));    // 0.0653169
fn focal(logits, targets, gamma = 2.0, alpha = none, reduction: string = "mean") {
    let z = logits * (1.0 - 2.0 * targets);             // of the other class
    let weighed = exp(-gamma * softplus(-z)) * softplus(z);
    return reduced_beside(if alpha == none => weighed else weighed * (targets * alpha + (1.0 - targets) * (1.0 - alpha)), logits, targets, reduction);
}

/// -log of the normal density at targets, whose mean is y and whose variance exp(log_variance), without the constant; averaged.
///     print(loss.normal_nll([1.0, 2.0] as f32, [0.0, 2.0] as f32, [0.0, 1.0] as f32));    // 0.5
fn normal_nll(y, targets, log_variance, reduction: string = "mean") {
    let d = y - targets;
    check_beside(d, y, targets);
    return reduced(0.5 * (log_variance + d * d * exp(-log_variance)), reduction);
}

/// -log of the Poisson probability of counts, whose mean is exp(log_rate), without what depends on the counts alone; averaged.
///     print(loss.poisson_nll([0.0, 1.0] as f32, [2.0, 3.0] as f32));    // 0.359141
fn poisson_nll(log_rate, counts, reduction: string = "mean") {
    return reduced_beside(exp(log_rate) - counts * log_rate, log_rate, counts, reduction);
}

/// 1 - 2 |p t| / (|p| + |t|) of probabilities p and targets, summed over all elements: how little two masks have in common (Milletari et al., 2016).
/// smooth is added to both sides of the quotient.
///     print(loss.dice([1.0, 0.5, 0.0] as f32, [1.0, 1.0, 0.0] as f32, smooth = 0.0));    // 0.142857
fn dice(p, targets, smooth = 1.0) {
    let both = p * targets;
    check_beside(both, p, targets);
    return 1.0 - (2.0 * finish(sum(both)) + smooth) / (finish(sum(p + targets)) + smooth);
}

/// Cross entropy of telling which b[j] belongs to each a[i], which is b[i], by the cosines of their angles over a temperature; a, b: [n, d] (van den Oord
/// et al., 2018).
///     print(loss.info_nce([[1.0, 0.0], [0.0, 2.0]] as f32, [[3.0, 0.0], [0.0, 1.0]] as f32, temperature = 1.0));    // 0.313262
fn info_nce(a, b, temperature = 0.1) {
    let (u, v) = (unit_lines(a), unit_lines(b));
    return mean(logsumexp(finish(u @ transpose(v)) / temperature) - finish(sum_along(u * v)) / temperature);
}

fn unit_lines(x) { return div_along(x, length(x)); }

/// The mean absolute difference.
///     print(loss.l1([1.0, 2.0] as f32, [1.0, 5.0]));    // 1.5
fn l1(y, t, reduction: string = "mean") {
    return reduced_beside(abs(y - t), y, t, reduction);
}

/// d^2 / 2 of a difference d up to delta, delta (|d| - delta / 2) beyond it (Huber, 1964), averaged.
///     print(loss.huber([0.5, 3.0] as f32, 0.0));    // 1.3125
fn huber(y, t, delta = 1.0, reduction: string = "mean") {
    if !is_tensor(delta) { assert(delta > 0.0, message = "`delta` is positive"); }
    let d = abs(y - t);
    return reduced_beside(where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)), y, t, reduction);
}

/// ln cosh(d) of a difference d, about d^2 / 2 near 0 and |d| - ln 2 far from it, averaged.
///     print(loss.log_cosh([0.0, 2.0] as f32, [0.0, 0.0] as f32));    // 0.662501
fn log_cosh(y, t, reduction: string = "mean") {
    let d = abs(y - t);
    return reduced_beside(d + log1p(exp(-2.0 * d)) - 0.6931471805599453, y, t, reduction);
}

/// q d of a difference d = t - y above 0, (q - 1) d below it: least where y is the quantile q of t (Koenker, Bassett, 1978), averaged. q is a number, or
/// one for each of the last dimension: `loss.quantile(y, unsqueeze(t, dim = 1), [0.1, 0.5, 0.9])` of y[n, 3] and t[n].
///     print(loss.quantile([1.0, 2.0] as f32, [3.0, 1.0] as f32, 0.9));    // 0.95
fn quantile(y, t, q, reduction: string = "mean") {
    let d = t - y;
    check_beside(d, y, t);
    let by = if is_list(q) => q as d.dtype else q;
    return reduced(where(d < 0.0, (by - 1.0) * d, by * d), reduction);
}

/// max(0, 1 - scores * signs), averaged; signs are 1 or -1.
///     print(loss.hinge([0.5, -2.0] as f32, [1.0, -1.0]));    // 0.25
fn hinge(scores, signs, reduction: string = "mean") {
    return reduced_beside(relu(1.0 - scores * signs), scores, signs, reduction);
}

/// max(0, |a - p| - |a - n| + margin) of the lines of anchors, alike and other ones, all [.., d], averaged (Schroff et al., 2015).
///     let (a, alike, other) = ([[0.0, 0.0]] as f32, [[0.0, 1.0]] as f32, [[0.0, 1.5]] as f32);
///     print(loss.triplet(a, alike, other));    // 0.5
fn triplet(anchors, alike, others, margin = 1.0, reduction: string = "mean") {
    check_beside(anchors - alike, anchors, alike);
    check_beside(anchors - others, anchors, others);
    return reduced(relu(length(anchors - alike) - length(anchors - others) + margin), reduction);
}

/// max(0, margin - sign * (a - b)), averaged: signs are 1 where a is to be the larger, -1 where b is.
///     print(loss.margin_ranking([1.0, 2.0] as f32, [0.0, 3.0] as f32, [1.0, 1.0] as f32, margin = 0.5));    // 0.75
fn margin_ranking(a, b, signs, margin = 0.0, reduction: string = "mean") {
    check_beside(a - b, a, b);
    return reduced_beside(relu(margin - signs * (a - b)), a - b, signs, reduction);
}

/// Of lines a, b[.., d], 1 - the cosine of their angle where the sign is 1, max(0, cosine - margin) where it is -1, averaged.
///     print(loss.cosine([[1.0, 0.0], [3.0, 0.0]] as f32, [[0.0, 2.0], [1.0, 0.0]] as f32, [1.0, -1.0] as f32, margin = 0.5));    // 0.75
fn cosine(a, b, signs, margin = 0.0, reduction: string = "mean") {
    let c = finish(sum_along(unit_lines(a) * unit_lines(b)));
    return reduced_beside(where(signs > 0.0, 1.0 - c, relu(c - margin)), c, signs, reduction);
}

fn length(d) { return sqrt(finish(sum_along(d * d)) + 1e-12); }

// ---- sequences whose places are not known

op between_blanks(labels[n, s]: int, k: int) -> [n, k] = labels[n, (k - 1) / 2];
op with_blanks(a[n, k]: int, blank: int) -> [n, k] = if k % 2 == 0 => blank else a;
op emitted(p[n, t, c], i[n, k]: int) -> [n, t, k] = p[n, t, i];
op behind(a[n, j], k: int, by: int) -> [n, k] = a[n, k - by];
op from_place(a[n, k], first: int) -> [n, k] = if k >= first => a else -1e30;
op may_skip(at[n, k]: int, before[n, k]: int, blank: int) -> [n, k] = k >= 2 && at != before && at != blank;
op while_there(new[n, k], old[n, k], length[n]: int, t[]: int) -> [n, k] = if t < length => new else old;
op ends_of(a[n, k], length[n]: int) -> [n] = max[k] (if k == 2 * length || (k == 2 * length - 1) => a else -1e30);
op ends_with(a[n, k], length[n]: int, top[n]) -> [n] = sum[k] (if k == 2 * length || (k == 2 * length - 1) => exp(a - top) else 0);
op counted(a[n, k]: int) -> [n] = sum[k] (if a == a => 1 else 1);
op or_without_end(a[n]) -> [n] = if a < -1e29 => inf else -a;

/// -log of the probability that logits[n, t, classes], one line a time, spell labels[n, s], ints, where a class that is repeated counts once, and
/// the class `blank` not at all (Graves et al., 2006): the mean over the batch. times[n] and lengths[n] say how many times and labels there are,
/// if not t and s; what stands behind may be any class. Infinite, with the derivative 0, where there are too few times; 0 where there
/// are no times and no labels.
///     print(loss.ctc(zeros([1, 2, 3]), [[1]] as i32));    // 1.09861
fn ctc[n, t, c, s, d: float, k: int](logits: d[n, t, c], labels: k[n, s], times = none, lengths = none, blank: int = 0) {
    let m = 2 * s + 1;
    let at = with_blanks(between_blanks(labels, k = m), blank = blank);
    let skips = may_skip(at, behind(at, k = m, by = 2), blank = blank);
    let e = emitted(log_softmax(logits), at);
    var a = where(ahead_of_all(at), 0.0, -1e30) as logits.dtype;
    for i in 0..t {
        let one = from_place(behind(a, k = m, by = 1), first = 1);
        let two = where(skips, behind(a, k = m, by = 2), -1e30);
        let new = logaddexp(logaddexp(a, one), two) + e[.., i, 0..m];
        a = if times == none => new else while_there(new, a, times, i);
    }
    let count = if lengths == none => counted(labels) else lengths;
    let top = stop_gradient(ends_of(a, count));
    return mean(or_without_end(top + ln(ends_with(a, count, top))));
}
op ahead_of_all(at[n, k]: int) -> [n, k] = k == 0 && at == at;
