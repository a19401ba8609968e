// nn.pml — layers and initial values.
//
// An initialiser is called without key, shape and dtype: `param w : f32[784, 256] = nn.he();`. These come from the param; its
// qualified name makes the key, so adding a param changes the values of no other.

/// x[.., in] @ w[in, out] + b[out].
fn linear(x, w, b) {
    return x @ w + b;
}

/// Causal (or, causal = false, full) attention of q, k, v [batch, heads, tokens, width]: softmax(q k^T / sqrt(width)) v. k and v may
/// have fewer heads (grouped queries): head h of q then reads head h * heads of k / heads of q. Split over batch or heads, nothing
/// moves. The scores of all pairs of tokens are kept for the backward pass.
fn attention(q, k, v, causal = true) {
    let group = q.shape[1] / k.shape[1];
    if group > 1 { return attend(q, repeat_heads(k, group), repeat_heads(v, group), causal); }
    return attend(q, k, v, causal);
}

fn attend[n, h, t, u, e](q: f32[n, h, t, e], k: f32[n, h, u, e], v: f32[n, h, u, e], causal) {
    let scale = 1.0 / sqrt(e);
    let s[n, h, i, j] = scale * sum[c] q[n, h, i, c] * k[n, h, j, c];
    let seen[n, h, i, j] = if j <= i + (u - t) => s[n, h, i, j] else -1e30;
    let a = softmax(if causal => seen else s);
    let o[n, h, i, c] = sum[j] a[n, h, i, j] * v[n, h, j, c];
    return o;
}

/// x[batch, heads, tokens, width] with each head `times` times in a row.
fn repeat_heads[n, h, t, e](x: f32[n, h, t, e], times: int) {
    return reshape(repeat_each(x, times), [n, h * times, t, e]);
}

op repeat_each(x[n, h, t, e], times: int) -> [n, h, times, t, e] = x[n, h, t, e];

/// Rotary positions (Su et al., 2021) of q or k [batch, heads, tokens, width]: the halves of each head are rotated by angles that
/// grow with the token's place, first + 0, first + 1, ...
fn rotary[n, h, t, e](x: f32[n, h, t, e], base = 10000.0, first = 0) {
    let half = e / 2;
    let rate = exp(iota(half) as f32 * (-ln(base) / half));
    let angle = outer((iota(t) + first) as f32, rate);
    let c = cos(angle);
    let s = sin(angle);
    let a = x[.., 0..half];
    let b = x[.., half..e];
    return concat([a * c - b * s, b * c + a * s]);
}

/// Two layers with an activation between: f(x @ up + b) @ down + c.
fn mlp(x, up, b, down, c, f = gelu) {
    return f(x @ up + b) @ down + c;
}

/// silu(x @ gate) * (x @ up) @ down (Shazeer, 2020).
fn swiglu(x, gate, up, down) {
    return (silu(x @ gate) * (x @ up)) @ down;
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
