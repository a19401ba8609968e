// metrics.pml — how good a model is.

/// How many of logits[.., classes] have their largest element at labels[..]: i32.
fn correct(logits, labels) {
    return sum(argmax(logits) == labels as i32);
}

/// The share of rows whose largest logit is at the label.
fn accuracy(logits, labels) {
    return mean((argmax(logits) == labels as i32) as f32);
}

/// The share of rows whose label is among the k largest of logits[.., classes].
fn top_accuracy(logits, labels, k: int) {
    let (values, classes) = top_k(logits, k);
    return mean(sum_along(is_label(classes, labels as i32) as f32));
}

/// exp of a mean cross entropy: of how many equally likely classes the model chooses.
fn perplexity(loss) {
    return exp(loss);
}

/// A mean cross entropy in bits.
fn bits(loss) {
    return loss / 0.6931471805599453;
}

op is_label(c[.., k]: int, i[..]: int) -> [.., k] = c == i;
