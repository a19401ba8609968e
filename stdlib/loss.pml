// loss.pml — losses. All are means over the logical batch, whatever the layouts.

/// Cross entropy of logits[.., classes] and integer labels[..], averaged: one float. Where rows or classes are split, it is an
/// unfinished sum (`to B` finishes it); split classes exchange a maximum and a sum per row, never the logits. smoothing: that share of
/// the target is spread evenly over all classes (Szegedy et al., 2016).
fn cross_entropy(logits, labels, smoothing = 0.0) {
    let m = stop_gradient(finish(max_along(logits)));
    let z = sub_along(logits, m);
    let all = ln(finish(sum_along(exp(z))));
    if is_known(smoothing) && smoothing == 0.0 { return mean(all - pick(z, labels)); }
    return mean(all - (1.0 - smoothing) * pick(z, labels) - smoothing * mean_along(z));
}

/// The mean squared difference.
fn mse(y, t) {
    let d = y - t;
    return mean(d * d);
}

/// Cross entropy of logits and targets in [0, 1], elementwise, averaged.
fn binary_cross_entropy(logits, targets) {
    return mean(softplus(logits) - logits * targets);
}
