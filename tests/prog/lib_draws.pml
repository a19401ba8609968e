//% test 1 2 (4)
// Draws of each distribution: mean, variance and shares below given numbers, and the same bits in every layout.
place all = ranks(0..4);

const N : int = 20000;

// Mean and variance of draws, within six standard errors where the fourth central moment is at most `fourth` times the variance squared.
fn assert_moments(x, mean_of, variance_of, fourth = 9.0) {
    let m = finish(mean(x));
    let v = finish(mean(square(x - m)));
    assert(abs(m - mean_of) < 6.0 * sqrt(variance_of / N), message = "the mean is another one");
    assert(abs(v - variance_of) < 6.0 * variance_of * sqrt(fourth / N), message = "the variance is another one");
}

// The share of draws below a number, within six standard errors.
fn assert_share(x, below, share) {
    let s = finish(mean((x < below) as f64));
    assert(abs(s - share) < 6.0 * sqrt(share * (1.0 - share) / N), message = "the share is another one");
}

test "exponential and Laplace" {
    let x = exponential(rng(1), [N], rate = 2.0, dtype = f64) to @all : S(0);
    assert_moments(x, 0.5, 0.25);
    assert_share(x, 0.1, 1.0 - exp(-0.2));
    assert(finish(min(x)) >= 0.0);
    let y = laplace(rng(2), [N], scale = 3.0, mean = -1.0, dtype = f64) to @all : S(0);
    assert_moments(y, -1.0, 18.0, 6.0);
    assert_share(y, -4.0, 0.5 * exp(-1.0));
    assert_equal(exponential(rng(1), [6]) to @all : S(0) to B, exponential(rng(1), [6]) to @all : B);
    assert_equal(laplace(rng(1), [6]) to @all : S(0) to B, laplace(rng(1), [6]) to @all : B);
    assert_close(exponential(rng(1), [4], rate = [1.0, 2.0, 4.0, 8.0] as f32) * [1.0, 2.0, 4.0, 8.0], exponential(rng(1), [4]));
}

test "truncated normal" {
    let x = truncated_normal(rng(3), [N], std = 2.0, mean = 5.0, dtype = f64) to @all : S(0);
    assert(finish(min(x)) >= 1.0 && finish(max(x)) <= 9.0);
    assert_moments(x, 5.0, 4.0 * 0.7737413);
    assert_share(x, 3.0, 0.1423837);
    let y = truncated_normal(rng(4), [N], low = 1.0, high = 3.0, dtype = f64) to @all : S(0);
    assert(finish(min(y)) >= 1.0 && finish(max(y)) <= 3.0);
    assert_share(y, 1.5, 0.5838838);
    assert_equal(truncated_normal(rng(1), [6]) to @all : S(0) to B, truncated_normal(rng(1), [6]) to @all : B);
}

test "gamma, beta and Dirichlet" {
    let x = gamma(rng(5), [N], 3.5, f64) to @all : S(0);
    assert_moments(x, 3.5, 3.5, 4.8);
    let y = gamma(rng(6), [N], 0.25, f64) to @all : S(0);
    assert_moments(y, 0.25, 0.25, 27.0);
    assert_share(y, 0.01, 0.3481865);
    assert_moments(gamma(rng(7), [N], 1.0, f64) to @all : S(0), 1.0, 1.0);
    assert_moments(gamma(rng(8), [N], 1000.0, f64) to @all : S(0), 1000.0, 1000.0, 3.1);
    assert_moments(beta(rng(9), [N], 2.0, 3.0, f64) to @all : S(0), 0.4, 0.04);
    let z = dirichlet(rng(10), broadcast([1.0, 2.0, 5.0] as f64, [N, 3]) to @all : S(0));
    assert_close(sum(z, dim = 1), ones([N], dtype = f64));
    assert_close(mean(z, dim = 0) to B, [0.125, 0.25, 0.625], rtol = 0.03);
    assert_moments(z[.., 1], 0.25, 0.1875 / 9.0);
    let each_its_own = [0.5, 1.0, 2.0, 8.0] as f32;
    assert_equal(gamma(rng(1), [4], each_its_own) to @all : S(0) to B, gamma(rng(1), [4], each_its_own) to @all : B);
    assert_close(dirichlet(rng(1), each_its_own to @all : S(0)) to B, dirichlet(rng(1), each_its_own));
    let three = broadcast([0.5, 1.5, 3.0] as f64, [N, 3]);          // one by one, and in vectors
    assert_equal(dirichlet(rng(3), three)[.., 1] to @all : S(0) to B, element_along(dirichlet(rng(3), three), at = 1) to @all : S(0) to B);
}

test "Poisson" {
    let few = poisson(rng(11), [N], 3.0) as f64 to @all : S(0);
    assert_moments(few, 3.0, 3.0);
    assert_share(few, 0.5, exp(-3.0));
    assert_share(few, 2.5, 0.4231901);
    let more = poisson(rng(12), [N], 12.5) as f64 to @all : S(0);
    assert_moments(more, 12.5, 12.5);
    assert_share(more, 9.5, 0.2014311);
    assert_moments(poisson(rng(13), [N], 1e6) as f64 to @all : S(0), 1e6, 1e6);
    assert_equal(poisson(rng(1), [3], 0.0), [0, 0, 0]);
    let rates = [0.5, 9.9, 10.1, 300.0] as f32;
    assert_equal(poisson(rng(1), [4], rates) to @all : S(0) to B, poisson(rng(1), [4], rates) to @all : B);
}

// On both sides of the number from which orders are no longer those of drawn numbers.
test "permutations" {
    for n in [1, 2, 4096, 4097, 5000, 16641] {
        let p = permutation(rng(14, n), n) to @all : S(0);
        assert_equal(sort(p to B), iota(n) as i32 to @all : B);
        assert_equal(p to B, permutation(rng(14, n), n) to @all : B);
    }
    let p = permutation(rng(15), N) to @all : S(0);
    assert_moments(p as f64 / N, 0.5, 1.0 / 12.0);
    assert_moments((permutation(rng(16), N) - permutation(rng(15), N)) as f64 / N to @all : S(0), 0.0, 1.0 / 6.0);
    assert(all(permutation(rng(17), 0) == zeros([0], dtype = i32)));
}
