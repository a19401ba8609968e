// Norms whose scale or shift is left out.
//% ranks 1 (2) 3
const N : int = 1;
place all = ranks(0..N);

main {
    let x = normal(rng(1), [6, 5]) to @all : S(0);
    let g = uniform(rng(2), [5]);
    assert_close(rmsnorm(x) * g, rmsnorm(x, g));
    assert_close(layernorm(x) * g, layernorm(x, g));
    assert_close(layernorm(x) + g, layernorm(x, shift = g));
    assert_close(layernorm(x) * g + g, layernorm(x, g, g));
    print(mean(rmsnorm(x) * rmsnorm(x)) to B, abs(sum(layernorm(x)) to B) < 1e-4);
}
