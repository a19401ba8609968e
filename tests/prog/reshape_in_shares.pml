// Dimensions that become one keep a split that is not even, in shares, and get it back; in functions that `vmap` calls for each line, too, and in
// gradients.
//% ranks 1 3 (2 4)
const N : int = 1;
place all = ranks(0..N);
param x : f64[2, 7, 4] @ all : S(1) = normal(std = 0.5);
param w : f64[28, 3] @ all : B = normal(std = 0.5);

fn flat(a: f64[7, 4]) { return tanh(reshape(a, [28])); }
fn tall(a: f64[28]) -> f64[7, 4] { return reshape(a, [7, 4]) * 2.0; }

fn loss() {
    let rows = vmap(flat)(x);                                   // f64[2, 28] @ all : S(1, shares = …)
    let back : f64[2, 7, 4] @ all : S(1) = vmap(tall)(rows);
    let y = rows @ w to B;
    let all_of_it = reshape(back[0] * back[1], [28]);
    return sum(y * y) + (sum(back * x * back) to B) + (sum(all_of_it * all_of_it) to B);
}

main {
    print(vmap(flat)(x) to B);
    let (l, g) = value_and_grad(loss)();
    print(l, g.x to B, g.w);
}
