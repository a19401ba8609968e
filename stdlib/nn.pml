// nn.pml — layers and initial values.
//
// An initialiser is called without key, shape and dtype: `param w : f32[784, 256] = nn.he();`. These come from the param; its
// qualified name makes the key, so adding a param changes the values of no other.

/// x[.., in] @ w[in, out] + b[out].
fn linear(x, w, b) {
    return x @ w + b;
}

/// How many inputs one output has: rows of a matrix [in, out]; channels times window of a filter [out, in, h, w].
fn fan_in(shape: shape) {
    if rank(shape) < 3 { return shape[0]; }
    return floor_div(volume(shape), shape[0]);
}

/// How many outputs one input has.
fn fan_out(shape: shape) {
    if rank(shape) < 2 { return shape[0]; }
    if rank(shape) == 2 { return shape[1]; }
    return floor_div(volume(shape), shape[1]);
}

/// Normal with variance 2 / fan_in, for relu.
fn he(key: rngkey, shape: shape, dtype = f32) {
    return normal(key, shape, std = sqrt(2.0 / fan_in(shape)), dtype = dtype);
}

/// Normal with variance 2 / (fan_in + fan_out), for tanh and sigmoid.
fn xavier(key: rngkey, shape: shape, dtype = f32) {
    return normal(key, shape, std = sqrt(2.0 / (fan_in(shape) + fan_out(shape))), dtype = dtype);
}

/// Normal with variance 1 / fan_in.
fn lecun(key: rngkey, shape: shape, dtype = f32) {
    return normal(key, shape, std = sqrt(1.0 / fan_in(shape)), dtype = dtype);
}

/// Each element dropped (0) with probability p, else divided by 1 - p, so that the mean stays. Which ones depends on the key and the logical
/// position alone: a new key for every step (`fold(rng(seed), step)`) and every use.
fn dropout(x, key: rngkey, p = 0.5) {
    let kept = x / (1.0 - p);
    return where(draw_uniform(key, shape(x), f32) >= p, kept, 0.0);
}
