place all = ranks(0..8) as (x = 2, y = 2, z = 2);
param u : f64[1, 2] @ all : (x=S(0), y=S(0), z=S(0)) = ones();

fn f(s: f64) {
    let a = concat([flip(u, dim = 1), 2.0 * flip(u, dim = 1)], dim = 0) to (y=S(0), z=S(1));
    let b = roll(roll(a, -1, dim = 0) to (x=S(0)), -1, dim = 0);
    let w = reshape((iota(4) - 2) as f64, [2, 2]);
    return sum(b * w) to B;
}

main {
    let (l, g) = value_and_grad(f)(1.0);
    print(l, sum(g.u) to B);
}
