// filling.pml — tensors made from nothing: numbers, positions, draws.

op fill(v[], shape: shape, dtype: dtype) -> [..] = v as dtype;

/// One value everywhere, made in the element type that is asked for: `full(…) as f64` converts what was rounded to f32.
///     print(full(0.5, [2, 2]));
///     // [[0.5, 0.5],
///     //  [0.5, 0.5]]
///     print(full(0.99, [1], dtype = f64), full(0.99, [1]) as f64);    // [0.99] [0.990000009536743]
fn full(value, shape: shape, dtype: dtype = f32) {
    return fill(value, shape, dtype);
}

/// 0 everywhere.
///     print(zeros([3]), zeros([2], dtype = i32));    // [0, 0, 0] [0, 0]
fn zeros(shape: shape, dtype = f32) {
    return fill(0, shape, dtype);
}

/// 1 everywhere.
///     print(ones([3]));    // [1, 1, 1]
fn ones(shape: shape, dtype = f32) {
    return fill(1, shape, dtype);
}

op on_diagonal(n: int, m: int, at: int, dtype: dtype) -> [n, m] = where(m - n == at, 1, 0) as dtype;

/// 1 on the diagonal of an n by n matrix, 0 elsewhere; of n by `columns`, on the diagonal (1: the one above the main one), if they are given.
///     print(eye(2));
///     // [[1, 0],
///     //  [0, 1]]
///     print(eye(2, columns = 3, diagonal = 1));
///     // [[0, 1, 0],
///     //  [0, 0, 1]]
fn eye(n: int, dtype: dtype = f32, columns = none, diagonal: int = 0) {
    let m = if columns == none => n else columns;
    assert(n >= 0 && m >= 0, message = "numbers of lines and columns are not negative");
    return on_diagonal(n = n, m = m, at = diagonal, dtype = dtype);
}

/// 0, 1, ... n - 1 as i64.
///     print(iota(4));    // [0, 1, 2, 3]
op iota(n: int) -> [n] = n;

op steps_between(n: int, low[]: f64, high[]: f64, last: int) -> [n] = low + (high - low) * (n as f64) / (last as f64);

/// n numbers from low to high, equally far apart.
///     print(linspace(0.0, 1.0, 5));    // [0, 0.25, 0.5, 0.75, 1]
fn linspace(low, high, n: int, dtype: dtype = f32) {
    assert(n >= 0, message = "a number of elements is not negative");
    return steps_between(n, low, high, max(n - 1, 1)) as dtype;
}

op draw_uniform(key[]: rngkey, shape: shape, dtype: dtype) -> [..] = random_uniform(key, linear()) as dtype;
op draw_normal(key[]: rngkey, shape: shape, dtype: dtype) -> [..] = random_normal(key, linear()) as dtype;

// What draws take, if it is a number of the host; tensors are not looked at, since all ranks would have to hear of it.
fn check_spread(std) { if !is_tensor(std) { assert(std >= 0.0, message = "`std` is not negative"); } }
fn check_order(low, high) {
    if !is_tensor(low) && !is_tensor(high) { assert(low <= high, message = "`low` is not above `high`"); }
}

/// Numbers in [low, high). The element at a place depends on the key and its logical position alone, so on no layout.
///     print(uniform(rng(1), [3]), uniform(rng(1), [2], low = -1.0, high = 1.0));
///     // [0.601286, 0.999898, 0.0699788] [0.202571, 0.999795]
fn uniform(key: rngkey, shape: shape, low = 0.0, high = 1.0, dtype: dtype = f32) {
    check_order(low, high);
    let u = draw_uniform(key, shape, dtype);
    if is_known(low) && is_known(high) && low == 0.0 && high == 1.0 { return u; }
    return broadcast(low + (high - low) * u, shape);
}

/// Normally distributed numbers.
///     print(normal(rng(1), [3]), normal(rng(1), [2], std = 0.1, mean = 5.0));
///     // [-0.927975, -0.0128493, -0.42043] [4.9072, 4.99871]
fn normal(key: rngkey, shape: shape, std = 1.0, mean = 0.0, dtype: dtype = f32) {
    check_spread(std);
    let z = std * draw_normal(key, shape, dtype);
    if is_known(mean) && mean == 0.0 { return broadcast(z, shape); }
    return broadcast(z + mean, shape);
}

/// True with probability p.
///     print(bernoulli(rng(1), [4], p = 0.25));    // [false, false, true, false]
fn bernoulli(key: rngkey, shape: shape, p = 0.5) {
    if !is_tensor(p) { assert(0.0 <= p && p <= 1.0, message = "`p` is a probability, 0 to 1"); }
    return broadcast(draw_uniform(key, shape, f32) < p, shape);
}

op draw_int(key[]: rngkey, shape: shape, count[]: i64, low[]: i64) -> [..]
    = low + floor_div(random_bits(key, linear()) as i64 * count, 4294967296);

/// Integers from low to high - 1, all as likely up to (high - low) / 2^32; high - low is at most 2^31.
///     print(randint(rng(1), [6], 0, 10));    // [6, 9, 0, 7, 0, 0]
fn randint(key: rngkey, shape: shape, low: int, high: int, dtype = i32) {
    assert(low < high, message = "`randint` draws from `low` up to `high` - 1: `high` is above `low`");
    assert(high - low <= 2147483648, message = "`randint` draws from at most 2^31 numbers");
    return draw_int(key, shape, high - low, low) as dtype;
}

/// Draws of the Gumbel distribution, -ln(-ln(u)).
///     print(gumbel(rng(1), [3]));    // [0.185955, 0.583764, -0.243661]
fn gumbel(key: rngkey, shape: shape, dtype: dtype = f32) {
    return (-ln(-ln(draw_uniform(key, shape, f64)))) as dtype;
}

/// Draws of the exponential distribution, whose mean is 1 / rate; rate is a number or a tensor.
///     print(exponential(rng(1), [3]));    // [0.572548, 0.849731, 0.327361]
fn exponential(key: rngkey, shape: shape, rate = 1.0, dtype: dtype = f32) {
    if !is_tensor(rate) { assert(rate > 0.0, message = "`rate` is positive"); }
    return broadcast(((-log1p(-draw_uniform(key, shape, f64))) as dtype) / rate, shape);
}

/// Draws of the Laplace distribution: as likely as exp(-|x - mean| / scale).
///     print(laplace(rng(1), [3]));    // [-0.137164, 0.156584, -0.582765]
fn laplace(key: rngkey, shape: shape, scale = 1.0, mean = 0.0, dtype: dtype = f32) {
    if !is_tensor(scale) { assert(scale >= 0.0, message = "`scale` is not negative"); }
    let u = draw_uniform(key, shape, f64) - 0.5;
    return broadcast(mean + scale * ((-sign(u) * log1p(-2.0 * abs(u))) as dtype), shape);
}

/// Normally distributed numbers from mean + low * std to mean + high * std alone. By the inverse of the distribution function, so bounds
/// on one side should not both be beyond 7.
///     print(truncated_normal(rng(1), [3]), truncated_normal(rng(1), [2], low = 0.0, high = 1.0));
///     // [-0.153937, 0.174268, -0.555654] [0.382074, 0.511243]
fn truncated_normal(key: rngkey, shape: shape, low = -2.0, high = 2.0, std = 1.0, mean = 0.0, dtype: dtype = f32) {
    check_order(low, high);
    check_spread(std);
    let (a, b) = (erf(low * 0.7071067811865476), erf(high * 0.7071067811865476));
    let z = 1.4142135623730951 * erfinv(a + (b - a) * draw_uniform(key, shape, f64));
    return broadcast(mean + std * (min(max(z, low), high) as dtype), shape);
}

op spread(a[..], shape: shape) -> [..] = a as f64;

op draw_gamma(key[]: rngkey, alpha[..]: f64) -> [..] = random_gamma(key, linear(), alpha) as f64;

/// Draws of the gamma distribution, as likely as x^(alpha - 1) exp(-x); alpha > 0 is a number or a tensor that fits the shape. By tries (Marsaglia, Tsang, 2000)
/// of which a twentieth at most is refused. No derivative by alpha.
///     print(gamma(rng(1), [3], 2.5));    // [3.87839, 0.992965, 3.78695]
fn gamma(key: rngkey, shape: shape, alpha, dtype: dtype = f32) {
    if !is_tensor(alpha) { assert(alpha > 0.0, message = "`alpha` is positive"); }
    let a = stop_gradient(spread(alpha, shape));
    let less = exp(ln(draw_uniform(key, shape, f64)) / a);
    return where(a > 0.0, draw_gamma(key, where(a < 1.0, a + 1.0, a)) * where(a < 1.0, less, 1.0), 0.0 / 0.0) as dtype;
}

/// Draws of the beta distribution, as likely as x^(a - 1) (1 - x)^(b - 1); a and b as alpha of gamma.
///     print(beta(rng(1), [3], 2.0, 3.0));    // [0.289047, 0.551898, 0.596114]
fn beta(key: rngkey, shape: shape, a, b, dtype: dtype = f32) {
    if !is_tensor(a) && !is_tensor(b) { assert(a > 0.0 && b > 0.0, message = "`a` and `b` are positive"); }
    let x = gamma(fold(key, 0), shape, a, f64);
    return (x / (x + gamma(fold(key, 1), shape, b, f64))) as dtype;
}

/// Draws of the Dirichlet distribution, one along the last dimension for each line of alpha[.., k]: [.., k], whose sum is 1.
///     print(dirichlet(rng(1), [1.0, 2.0, 3.0] as f32));    // [0.258128, 0.097744, 0.644128]
fn dirichlet[t: float](key: rngkey, alpha: t[..]) {
    let x = gamma(key, shape(alpha), alpha, f64);
    return div_along(x, finish(sum_along(x))) as t;
}

op draw_poisson(key[]: rngkey, rate[..]: f64) -> [..] = random_poisson(key, linear(), rate) as f64;

/// Draws of the Poisson distribution, counts whose mean is rate, a number or a tensor that fits the shape: 0 to 10^9. Below 10 by the
/// inverse of the distribution function, from there on by tries of which three of ten are refused at the most. No derivative by the rate.
///     print(poisson(rng(1), [4], 3.0), poisson(rng(1), [3], 1000.0));    // [3, 3, 2, 1] [1043, 1004, 1015]
fn poisson(key: rngkey, shape: shape, rate, dtype = i32) {
    if !is_tensor(rate) { assert(rate >= 0.0, message = "`rate` is not negative"); }
    let r = stop_gradient(spread(rate, shape));
    return draw_poisson(key, r) as dtype;
}

/// A class drawn with probability softmax(logits) along `dim`: i32, a dimension less than the logits. The class of the largest sum of
/// logit and Gumbel draw (Gumbel, Statistical theory of extreme values, 1954); split classes exchange a maximum and a position.
///     print(categorical(rng(1), [[0.0, 0.0], [0.0, 9.0]] as f32));    // [1, 1]
fn categorical(key: rngkey, logits, dim = -1) {
    assert(shape(logits)[dim] > 0, message = "there is a class to draw at least");
    let z = logits + gumbel(key, shape(logits), logits.dtype);
    return finish(first_equal(z, finish(max_along(z, dim = dim)), dim = dim)) as i32;
}

op drawn_order(key[]: rngkey, n: int) -> [n] = random_position(key, n, extent(n)) as i32;

/// 0 to n - 1 in an order drawn from the key: i32. Up to 4096 the order of as many numbers that are drawn. Of more a permutation that the key
/// chooses, by a Feistel network of eight rounds over the product of two numbers near sqrt(n), which is walked until it is below n (Black,
/// Rogaway, Ciphers with arbitrary finite domains, 2002): each rank computes its own part, and 2^64 of all orders can come.
///     print(permutation(rng(1), 6));    // [3, 4, 1, 0, 2, 5]
fn permutation(key: rngkey, n: int) {
    assert(n >= 0, message = "a number of elements is not negative");
    if n <= 4096 { return ranking(draw_uniform(key, [n], f64)); }
    assert(n <= 2147483648, message = "a permutation is of at most 2^31 elements");
    return drawn_order(fold(key, 1886745197), n = n);
}
