// A logarithm whose argument falls below zero in a turn of a loop.
const N : int = 1;
place p = ranks(0..N);
param w : f32[4] @ p : S(0) = full(0.5);

fn f(x: f32[4] @ p : S(0)) -> f32 @ p : B {
    var h = x;
    for i in 0..6 {
        h = log(h * w);
    }
    return sum(h) to B;
}

main {
    let (l, g) = value_and_grad(f)(ones([4]) to @p : S(0));
    print(l);
}
