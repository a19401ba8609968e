// Random numbers: the same on every number of ranks and in every layout; streams; moments. Philox4x32-10.
//% ranks 1 3 (2 4)
//% args --seed=7
const N : int = 1;
place p = ranks(0..N);
param a : f32[40, 3] @ p : S(0) = normal(std = 2.0);
param b : f32[40, 3] @ p : B = normal(std = 2.0);
param c : f32[5] @ p = uniform();

main {
    let k = rng(1);
    let u = uniform(k, [1000]) to @p : S(0);
    print("uniform", u[0..4] to B, u[996..] to B, (min(u) to B) >= 0.0, (max(u) to B) < 1.0);
    print("layouts", uniform(k, [6]) to @p : B, uniform(k, [6]) to @p : S(0) to B, uniform(k, [2, 3]) to @p : S(1) to B);
    print("range", uniform(k, [4], low = -2.0, high = 2.0) to @p, normal(k, [4], std = 0.5, mean = 1.0) to @p, normal(k, [4], dtype = f64) to @p);
    print("keys", uniform(rng(2), [2]) to @p, uniform(rng(1, 2), [2]) to @p, uniform(fold(k, 1), [2]) to @p, uniform(fold(k, 2), [2]) to @p);
    let n = normal(k, [4000]) to @p : S(0);
    let m = mean(n) to B;
    let v = mean(square(n - m)) to B;
    print("moments", abs(m) < 0.05, abs(v - 1.0) < 0.05, abs((mean(u) to B) - 0.5) < 0.05);
    print("coins", bernoulli(k, [8]) to @p : S(0) to B, abs((mean(bernoulli(k, [4000], p = 0.3) as f32 to @p : S(0)) to B) - 0.3) < 0.05);
    print("params", a[0..2] to B, b[0..2], c, max(abs(a[0..2] to B)) > 0.0);
    for i in 0..3 { print(uniform(rng(i), [2]) to @p, uniform(fold(k, i), [2]) to @p); }
    let keys = split(k, 2);
    print("split", uniform(keys[0], [2]) to @p, uniform(keys[1], [2]) to @p);
    print("equal", all((uniform(k, [7]) to @p) == (uniform(rng(1), [7]) to @p)), any((uniform(k, [7]) to @p) == (uniform(rng(3), [7]) to @p)));
}
