// loss.pml — losses. All are means over the logical batch, whatever the layouts.

/// Cross entropy of logits[.., classes] and integer labels[..], averaged: one float. Where rows or classes are split, it is an
/// unfinished sum (`to B` finishes it); split classes exchange a maximum and a sum per row, never the logits.
fn cross_entropy(logits, labels) {
    let m = stop_gradient(finish(max_along(logits)));
    let z = sub_along(logits, m);
    return mean(ln(finish(sum_along(exp(z)))) - pick(z, labels));
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
