// distributions.pml — distributions: logarithms of densities, or of probabilities of whole numbers, entropies, divergences.
//
// Of one draw each, element by element, in any layout, but for `dirichlet`, `categorical` and `multivariate`, whose draws are lines: their last dimension
// is gone in what they give. Draws themselves are in the [prelude](prelude_filling.md#uniform). What parameters are by their meaning (a spread positive, a share
// from 0 to 1) is not checked; outside of what can be drawn a logarithm is -inf. Divergences are those of Kullback and Leibler, of the first
// distribution from the second; parameters of the second end in 2. All have derivatives by numbers and parameters.
//
// The examples stand in `main` of a program that begins with
//
//     import std.distributions;

import std.linalg;
import std.special;

const HALF_LOG_2_PI : float = 0.9189385332046727;
const EULER : float = 0.5772156649015329;

// The type of the first tensor of three; of numbers alone f32.
fn type_of(a, b = 0.0, c = 0.0) {
    if is_tensor(a) { return a.dtype; }
    if is_tensor(b) { return b.dtype; }
    return if is_tensor(c) => c.dtype else f32;
}

// A parameter as a tensor: functions that are derivatives of others have them of tensors alone.
fn tensor_of(p, t: dtype) { return if is_tensor(p) => p else full(p, [], dtype = t); }

// What is counted, ints or floats, as floats.
fn counted(k, t: dtype) { return k as t; }

// y where x can be drawn. x is brought in there first, so that derivatives outside are 0.
fn inside(possible, y) { return where(possible, y, -inf); }

// ---- numbers from all of the line

/// The normal distribution.
///     print(distributions.normal_log([0.0, 1.0] as f32), distributions.normal_log([0.0] as f32, mean = 1.0, std = 2.0));
///     // [-0.918939, -1.41894] [-1.73709]
fn normal_log(x, mean = 0.0, std = 1.0) { return -0.5 * square((x - mean) / std) - ln(std) - HALF_LOG_2_PI; }

/// Its entropy.
///     print(distributions.normal_entropy([1.0, 2.0] as f32));    // [1.41894, 2.11209]
fn normal_entropy(std) { return ln(std) + (0.5 + HALF_LOG_2_PI); }

/// The divergence of one from another.
///     print(distributions.normal_kl([1.0] as f32, 1.0, 0.0, 2.0));    // [0.443147]
fn normal_kl(mean, std, mean2, std2) {
    let r = square(std / std2);
    return 0.5 * (r + square((mean - mean2) / std2) - 1.0 - ln(r));
}

/// What has a logarithm that is normally distributed, with this mean and spread.
///     print(distributions.log_normal_log([1.0, -1.0] as f32));    // [-0.918939, -inf]
fn log_normal_log(x, mean = 0.0, std = 1.0) {
    let y = ln(where(x > 0.0, x, 1.0));
    return inside(x > 0.0, normal_log(y, mean, std) - y);
}

/// Its entropy.
///     print(distributions.log_normal_entropy(1.0, [1.0] as f32));    // [2.41894]
fn log_normal_entropy(mean, std) { return normal_entropy(std) + mean; }

/// The Laplace distribution, e^(-|x - mean| / scale) / (2 scale).
///     print(distributions.laplace_log([0.0, 2.0] as f32));    // [-0.693147, -2.69315]
fn laplace_log(x, mean = 0.0, scale = 1.0) { return -abs(x - mean) / scale - ln(2.0 * scale); }

/// Its entropy.
///     print(distributions.laplace_entropy([1.0] as f32));    // [1.69315]
fn laplace_entropy(scale) { return 1.0 + ln(2.0 * scale); }

/// The divergence of one from another.
///     print(distributions.laplace_kl([1.0] as f32, 1.0, 0.0, 2.0));    // [0.377087]
fn laplace_kl(mean, scale, mean2, scale2) {
    let d = abs(mean - mean2);
    return ln(scale2 / scale) + d / scale2 + scale / scale2 * exp(-d / scale) - 1.0;
}

/// The Cauchy distribution.
///     print(distributions.cauchy_log([0.0, 1.0] as f32));    // [-1.14473, -1.83788]
fn cauchy_log(x, mean = 0.0, scale = 1.0) { return -ln(pi * scale) - log1p(square((x - mean) / scale)); }

/// Its entropy.
///     print(distributions.cauchy_entropy([1.0] as f32));    // [2.53102]
fn cauchy_entropy(scale) { return ln(4.0 * pi * scale); }

/// The divergence of one from another.
///     print(distributions.cauchy_kl([1.0] as f32, 1.0, 0.0, 2.0));    // [0.223144]
fn cauchy_kl(mean, scale, mean2, scale2) {
    return ln((square(scale + scale2) + square(mean - mean2)) / (4.0 * scale * scale2));
}

/// Student's distribution with `freedom` degrees.
///     print(distributions.student_log([0.0, 1.0] as f32, 3.0));    // [-1.00089, -1.57625]
fn student_log(x, freedom, mean = 0.0, scale = 1.0) {
    let half = 0.5 * freedom;
    let of_all = ln(scale) + 0.5 * ln(pi * freedom) + lgamma(half) - lgamma(half + 0.5);
    return -(half + 0.5) * log1p(square((x - mean) / scale) / freedom) - of_all;
}

/// Its entropy.
///     print(distributions.student_entropy([3.0] as f32));    // [1.77348]
fn student_entropy(freedom, scale = 1.0) {
    let n = tensor_of(freedom, type_of(freedom, scale));
    let (half, more) = (0.5 * n, 0.5 * n + 0.5);
    return ln(scale) + more * (digamma(more) - digamma(half)) + 0.5 * ln(pi * n) + lgamma(half) - lgamma(more);
}

/// What is left of the largest of many draws: Gumbel's distribution.
///     print(distributions.gumbel_log([0.0, 1.0] as f32));    // [-1, -1.36788]
fn gumbel_log(x, mode = 0.0, scale = 1.0) {
    let y = (x - mode) / scale;
    return -y - exp(-y) - ln(scale);
}

/// Its entropy.
///     print(distributions.gumbel_entropy([1.0] as f32));    // [1.57722]
fn gumbel_entropy(scale) { return ln(scale) + (1.0 + EULER); }

/// The divergence of one from another.
///     print(distributions.gumbel_kl([1.0] as f32, 1.0, 0.0, 2.0));    // [0.442063]
fn gumbel_kl(mode, scale, mode2, scale2) {
    let r = scale / scale2;
    let d = (mode - mode2) / scale2;
    return d - ln(r) + EULER * r + exp(lgamma(1.0 + r) - d) - (1.0 + EULER);
}

/// Angles around `mean`, the closer the larger `concentration` is (von Mises).
///     print(distributions.von_mises_log([0.0, 1.0] as f32, 0.0, 2.0));    // [-0.661871, -1.58127]
fn von_mises_log(x, mean, concentration) {
    return concentration * (cos(x - mean) - 1.0) - 2.0 * HALF_LOG_2_PI - ln(special.i0e(concentration));
}

/// Its entropy.
///     print(distributions.von_mises_entropy([2.0] as f32));    // [1.26632]
fn von_mises_entropy(concentration) {
    let size = special.i0e(concentration);
    return 2.0 * HALF_LOG_2_PI + ln(size) + concentration * (1.0 - special.i1e(concentration) / size);
}

// ---- numbers from a part of the line

/// Anywhere from low to high, high left out.
///     print(distributions.uniform_log([0.5, 4.0] as f32, 0.0, 4.0));    // [-1.38629, -inf]
fn uniform_log(x, low = 0.0, high = 1.0) { return inside(x >= low && x < high, 0.0 * x - ln(high - low)); }

/// Its entropy.
///     print(distributions.uniform_entropy(0.0, [4.0] as f32));    // [1.38629]
fn uniform_entropy(low, high) { return ln(high - low); }

/// How long it takes until something happens that does at this rate.
///     print(distributions.exponential_log([1.0, -1.0] as f32, 2.0));    // [-1.30685, -inf]
fn exponential_log(x, rate = 1.0) { return inside(x >= 0.0, ln(rate) - rate * x); }

/// Its entropy.
///     print(distributions.exponential_entropy([2.0] as f32));    // [0.306853]
fn exponential_entropy(rate) { return 1.0 - ln(rate); }

/// The divergence of one from another.
///     print(distributions.exponential_kl([2.0] as f32, 1.0));    // [0.193147]
fn exponential_kl(rate, rate2) { return ln(rate / rate2) + rate2 / rate - 1.0; }

/// The gamma distribution, x^(alpha - 1) e^(-rate x). `gamma` draws it with rate 1.
///     print(distributions.gamma_log([1.0, 2.0] as f32, 3.0, 2.0));    // [-0.613706, -1.22741]
fn gamma_log(x, alpha, rate = 1.0) {
    return inside(x >= 0.0, xlogy(alpha - 1.0, where(x >= 0.0, x, 1.0)) + alpha * ln(rate) - rate * x - lgamma(alpha));
}

/// Its entropy.
///     print(distributions.gamma_entropy([3.0] as f32, 2.0));    // [1.15443]
fn gamma_entropy(alpha, rate = 1.0) {
    let a = tensor_of(alpha, type_of(alpha, rate));
    return a - ln(rate) + lgamma(a) + (1.0 - a) * digamma(a);
}

/// The divergence of one from another.
///     print(distributions.gamma_kl([3.0] as f32, 2.0, 1.0, 1.0));    // [0.345568]
fn gamma_kl(alpha, rate, alpha2, rate2) {
    let a = tensor_of(alpha, type_of(alpha, rate, alpha2));
    return alpha2 * ln(rate / rate2) + lgamma(alpha2) - lgamma(a) + (a - alpha2) * digamma(a) + (rate2 / rate - 1.0) * a;
}

/// The beta distribution of shares from 0 to 1, x^(a - 1) (1 - x)^(b - 1).
///     print(distributions.beta_log([0.25, 2.0] as f32, 2.0, 3.0));    // [0.523248, -inf]
fn beta_log(x, a, b) {
    let possible = x >= 0.0 && x <= 1.0;
    let y = where(possible, x, 0.5);
    return inside(possible, xlogy(a - 1.0, y) + xlogy(b - 1.0, 1.0 - y) - log_beta(a, b));
}

fn log_beta(a, b) { return lgamma(a) + lgamma(b) - lgamma(a + b); }

/// Its entropy.
///     print(distributions.beta_entropy([2.0] as f32, 3.0));    // [-0.234907]
fn beta_entropy(a, b) {
    let t = type_of(a, b);
    let (p, q) = (tensor_of(a, t), tensor_of(b, t));
    return log_beta(p, q) - (p - 1.0) * digamma(p) - (q - 1.0) * digamma(q) + (p + q - 2.0) * digamma(p + q);
}

/// The divergence of one from another.
///     print(distributions.beta_kl([2.0] as f32, 3.0, 1.0, 1.0));    // [0.234907]
fn beta_kl(a, b, a2, b2) {
    let t = type_of(a, b, a2);
    let (p, q) = (tensor_of(a, t), tensor_of(b, t));
    return log_beta(a2, b2) - log_beta(p, q) + (p - a2) * digamma(p) + (q - b2) * digamma(q) + (a2 - p + b2 - q) * digamma(p + q);
}

// ---- whole numbers, given as ints or floats

/// How often something happens that does at this rate.
///     print(distributions.poisson_log([0, 2] as i32, [1.0, 3.0] as f32));    // [-1, -1.49592]
fn poisson_log(k, rate) {
    let n = counted(k, type_of(rate));
    return xlogy(n, rate) - rate - lgamma(n + 1.0);
}

/// The divergence of one from another.
///     print(distributions.poisson_kl([2.0] as f32, 1.0));    // [0.386294]
fn poisson_kl(rate, rate2) { return xlogy(rate, rate / rate2) - rate + rate2; }

/// 1 with the probability sigmoid(logits), else 0.
///     print(distributions.bernoulli_log([1, 0] as i32, [0.0, 2.0] as f32));    // [-0.693147, -2.12693]
fn bernoulli_log(k, logits) { return counted(k, type_of(logits)) * logits - softplus(logits); }

/// Its entropy.
///     print(distributions.bernoulli_entropy([0.0, 2.0] as f32));    // [0.693147, 0.365334]
fn bernoulli_entropy(logits) { return softplus(logits) - logits * sigmoid(logits); }

/// The divergence of one from another.
///     print(distributions.bernoulli_kl([0.0] as f32, 2.0));    // [0.433781]
fn bernoulli_kl(logits, logits2) { return softplus(logits2) - softplus(logits) + sigmoid(logits) * (logits - logits2); }

/// How many of n, each of which counts with the probability sigmoid(logits).
///     print(distributions.binomial_log([0, 2] as i32, 4, [0.0, 0.0] as f32));    // [-2.77259, -0.980829]
fn binomial_log(k, n, logits) {
    let t = type_of(logits);
    let (m, all) = (counted(k, t), counted(n, t));
    return lgamma(all + 1.0) - lgamma(m + 1.0) - lgamma(all - m + 1.0) + m * logits - all * softplus(logits);
}

/// How many count, with the probability sigmoid(logits), before `misses` do not.
///     print(distributions.negative_binomial_log([0, 2] as i32, 3.0, [0.0, 0.0] as f32));    // [-2.07944, -1.67398]
fn negative_binomial_log(k, misses, logits) {
    let t = type_of(logits, misses);
    let m = counted(k, t);
    return lgamma(misses + m) - lgamma(m + 1.0) - lgamma(misses) + m * logits - (misses + m) * softplus(logits);
}

/// How many do not count before the first that does, with the probability sigmoid(logits).
///     print(distributions.geometric_log([0, 2] as i32, [0.0, 0.0] as f32));    // [-0.693147, -2.07944]
fn geometric_log(k, logits) { return logits - (counted(k, type_of(logits)) + 1.0) * softplus(logits); }

/// A class with the probability softmax(logits), of logits[.., classes]: labels[..].
///     print(distributions.categorical_log([1, 0] as i32, [[0.0, 0.0], [1.0, 0.0]] as f32));    // [-0.693147, -0.313262]
fn categorical_log[t: int](labels: t[..], logits) { return pick(log_softmax(logits), labels); }

/// Its entropy.
///     print(distributions.categorical_entropy([[0.0, 0.0], [1.0, 0.0]] as f32));    // [0.693147, 0.582203]
fn categorical_entropy(logits) {
    let p = log_softmax(logits);
    return sum_along(times(p, -p));
}

/// The divergence of one from another.
///     print(distributions.categorical_kl([[0.0, 0.0]] as f32, [[2.0, 0.0]] as f32));    // [0.433781]
fn categorical_kl(logits, logits2) {
    let p = log_softmax(logits);
    return sum_along(times(p, p - log_softmax(logits2)));
}

// e^p y, and 0 where p is -inf: a class that is left out.
fn times(p, y) { return where(p > -inf, exp(p) * where(p > -inf, y, 0.0), 0.0); }

// ---- lines

/// Shares x[.., k] that sum to 1, of alpha[.., k].
///     print(distributions.dirichlet_log([[0.25, 0.75]] as f32, [2.0, 3.0] as f32));    // [0.523248]
fn dirichlet_log(x, alpha) { return sum_along(xlogy(alpha - 1.0, x)) - log_betas(alpha); }

fn log_betas(alpha) { return sum_along(lgamma(alpha)) - lgamma(sum_along(alpha)); }

/// Its entropy.
///     print(distributions.dirichlet_entropy([[2.0, 3.0]] as f32));    // [-0.234907]
fn dirichlet_entropy(alpha) {
    let all = sum_along(alpha);
    return log_betas(alpha) + (all - shape(alpha)[-1]) * digamma(all) - sum_along((alpha - 1.0) * digamma(alpha));
}

/// The divergence of one from another.
///     print(distributions.dirichlet_kl([[2.0, 3.0]] as f32, [[1.0, 1.0]] as f32));    // [0.234907]
fn dirichlet_kl(alpha, alpha2) {
    let d = sub_along(digamma(alpha), digamma(sum_along(alpha)));
    return log_betas(alpha2) - log_betas(alpha) + sum_along((alpha - alpha2) * d);
}

/// Normally distributed lines x[.., n] with the covariance l l^T: l[n, n], or one for each line, [.., n, n], is what `linalg.cholesky` gives. A draw
/// is mean + l @ normal(key, [n]).
///     let l = [[2.0, 0.0], [1.0, 3.0]] as f32;
///     print(distributions.multivariate_log([[1.0, 2.0], [0.0, 0.0]] as f32, [0.0, 0.0], l));    // [-3.87964, -3.62964]
fn multivariate_log(x, mean, l) {
    let y = undone(l, x - mean);
    return -0.5 * sum_along(square(y)) - sum_along(ln(diagonal(l))) - shape(l)[-1] * HALF_LOG_2_PI;
}

// l^-1 x, of one l for all lines or one for each.
fn undone(l, x) {
    if rank(l) > 2 || rank(x) == 1 { return linalg.triangular_solve(l, x); }
    return transpose(linalg.triangular_solve(l, transpose(x)));
}

/// Its entropy.
///     print(distributions.multivariate_entropy([[2.0, 0.0], [1.0, 3.0]] as f32));    // 4.62964
fn multivariate_entropy(l) { return sum_along(ln(diagonal(l))) + shape(l)[-1] * (0.5 + HALF_LOG_2_PI); }

/// The divergence of one from another.
///     let l = [[2.0, 0.0], [1.0, 3.0]] as f32;
///     print(distributions.multivariate_kl([1.0, 2.0] as f32, l, [0.0, 0.0], eye(2)));    // 6.70824
fn multivariate_kl(mean, l, mean2, l2) {
    let spread = linalg.triangular_solve(l2, l);
    let apart = undone(l2, mean - mean2);
    let grown = sum_along(ln(diagonal(l2))) - sum_along(ln(diagonal(l)));
    return 0.5 * (sum_along(sum_along(square(spread))) + sum_along(square(apart)) - shape(l)[-1]) + grown;
}
