// Rows of a slice stay where they are: what is cut elsewhere does not meet it unless a `to` says where the result goes.
place p = ranks(0..4);
fn even(x: f32[60, 4] @p : S(0)) -> f32[60, 4] @p : S(0) { return x; }
fn parts(x: f32[60, 4] @p : P(sum)) -> f32[60, 4] @p : P(sum) { return x; }
main {
    let x = uniform(rng(1), [64, 4]) to @p : S(0);
    let y = uniform(rng(2), [60, 4]) to @p : S(0);
    let z = relu(x[1..61]);
    print(sum(z * x[1..61]) to B, even((z * y) to S(0)) to B);
    print(sum(z * y) to B);               //~ PML0304
    print(sum(z * relu(x[2..62])) to B);  //~ PML0304
    print(sum(relu(x[1..61] * x[2..62])) to B);  //~ PML0304
    print(even(x[1..61]) to B);           //~ PML0303
    print(parts(z) to B);                 //~ PML0303
}
