// What draws take is looked at where the running program says it, too; tensors of it are not.
//% ranks 1 (2)
//% fails [--most=2.0] `p` is a probability, 0 to 1
//% fails [--part=1] `std` is not negative
const N : int = 1;
place p = ranks(0..N);
config part : int = 0;
config most : float = 1.0;
param w : f32[4] @ p : S(0) = ones();

fn spread() {
    var y = 0.0;
    for i in 0..3 { y = y + sum(w * normal(rng(i), [4], std = 1.0 - i)); }
    return y to B;
}

main {
    print(normal(rng(1), [2], std = [-1.0, 1.0] as f32));
    if part == 1 { print(sum(grad(spread)().w) to B); } else { print(bernoulli(rng(1), [2], p = most)); }
}
