// Rank 1 computes for seconds in one piece while rank 0 waits for it.
place left  = ranks(0..1);
place right = ranks(1..2);
param w : f32[1500, 1500] @ right : B = normal(std = 0.02);
fn products(x) { return tanh(tanh(tanh(tanh(x @ w) @ w) @ w) @ w); }
main {
    let y = products(products(products(products(w))));
    print("waited", mean(square(y to @left : B)) < 1.0);
}
