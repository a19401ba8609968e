// metrics.pml — how good a model is.

/// How many of logits[.., classes] have their largest element at labels[..]: i32.
fn correct(logits, labels) {
    return sum(argmax(logits) == labels as i32);
}

/// The share of rows whose largest logit is at the label.
fn accuracy(logits, labels) {
    return mean((argmax(logits) == labels as i32) as f32);
}
