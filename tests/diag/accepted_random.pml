param a : f32[4, 4] = normal();
param b : f32[4, 4] = uniform(low = -1.0, high = 1.0);
param c : f64[4] = normal(std = 0.1, mean = 2.0);
main {
    let k = rng(1);
    let (a1, b1) = (split(k, 2)[0], split(k, 2)[1]);
    print(sum(uniform(a1, [3])), sum(normal(b1, [3, 3], std = 2.0)), sum(bernoulli(k, [10], p = 0.3)), sum(a) + sum(b), sum(c));
}
