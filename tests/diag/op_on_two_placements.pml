place a = ranks(0..2);
place b = ranks(2..4);
op near(u[i], v[i]) -> [i] = u[i - 1] + v[i + 1];
main {
    let x = uniform(rng(1), [8]) to @a : S(0);
    let y = uniform(rng(2), [8]) to @b : S(0);
    print(sum(near(x, y) to S(0)) to B);  //~ PML0212@15
}
