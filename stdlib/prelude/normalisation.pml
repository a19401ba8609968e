// normalisation.pml — softmax, and layers brought to one mean or spread.

// What functions of several steps compute of 16 bits in f32, and round once.
fn is_narrow(x) { return if is_list(x) => false else x.dtype == bf16 || x.dtype == f16; }
fn in_f32(x) { return if x == none => none else x as f32; }

// What is infinite or no number is not taken off: inf - inf would be NaN.
op or_zero(a[..]) -> [..] = where(a - a == 0, a, 0);

/// log(sum(exp(x))) along `dim`, which may be a list, without overflow. Of nothing but -inf it is -inf.
///     print(logsumexp([0.0, 0.0]), logsumexp([[1000.0, 1000.0]]));    // 0.693147 [1000.69]
fn logsumexp(x, dim = -1) {
    let m = or_zero(stop_gradient(finish(along(max_along, x, dim))));
    return ln(finish(along(sum_along, exp_less_along(x, m, dim), dim))) + m;
}

/// exp(x) / sum(exp(x)) along `dim`, which may be a list.
///     print(softmax([0.0, 0.0, 1.0]));    // [0.211942, 0.211942, 0.576117]
fn softmax(x, dim = -1) {
    let m = stop_gradient(finish(along(max_along, x, dim)));
    let e = exp_less_along(x, m, dim);
    let total = finish(along(sum_along, e, dim));
    return if is_list(dim) => e / above(total, x, dim) else div_along(e, total, dim = dim);
}

/// log(softmax(x)) along `dim`, which may be a list. Of 16 bits it is computed in f32 and rounded once.
///     print(log_softmax([0.0, 0.0]));    // [-0.693147, -0.693147]
fn log_softmax(x, dim = -1) {
    if is_narrow(x) { return log_softmax(x as f32, dim) as x.dtype; }
    let m = stop_gradient(finish(along(max_along, x, dim)));
    let z = less_along(x, m, dim);
    return less_along(z, ln(finish(along(sum_along, exp(z), dim))), dim);
}

/// Mean 0 and variance 1 along the last dimension, then scaled and shifted, if these are given: x[.., d], scale[d], shift[d] -> [.., d]. Of 16 bits
/// it is computed in f32 and rounded once.
///     print(layernorm([[1.0, 3.0], [5.0, 5.0]]));
///     // [[-0.999995, 0.999995],
///     //  [0, 0]]
fn layernorm(x, scale = none, shift = none, eps = 1e-5) {
    if is_narrow(x) { return layernorm(x as f32, in_f32(scale), in_f32(shift), eps) as x.dtype; }
    let c = sub_along(x, finish(mean_along(x)));
    let y = mul_along(c, rsqrt(finish(mean_along(c * c)) + eps));
    let z = if scale == none => y else y * scale;
    return if shift == none => z else z + shift;
}

/// Divided by the root of the mean square along the last dimension, then scaled, if a scale is given: x[.., d], scale[d] -> [.., d]. Of 16 bits it is
/// computed in f32 and rounded once.
///     print(rmsnorm([[3.0, 4.0]] as f32));    // [[0.848528, 1.13137]]
fn rmsnorm(x, scale = none, eps = 1e-5) {
    if is_narrow(x) { return rmsnorm(x as f32, in_f32(scale), eps) as x.dtype; }
    let y = mul_along(x, rsqrt(finish(mean_along(x * x)) + eps));
    return if scale == none => y else y * scale;
}
