// Convolutions and pools with steps and padding, batches and filters split. Values: expected.py (torch).
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);

fn all(x: f32[2, 2, 5, 5], w: f32[3, 2, 3, 3]) {
    print("conv", conv2d(x, w) to B);
    print("strided", conv2d(x, w, stride = 2, pad = 1) to B);
    print("padded", conv2d(x, w, pad = 2)[1, 2] to B);
}

main {
    let x = reshape((iota(100) * 7 % 13) as f32, [2, 2, 5, 5]) to @p : B;
    let w = reshape((iota(54) * 5 % 7) as f32, [3, 2, 3, 3]) - 3.0 to @p : B;
    all(x, w);
    all(x to S(0), w);
    all(x, w to S(0));
    print("max", max_pool2d(x), max_pool2d(x to S(0), size = 3, stride = 1) to B, max_pool2d(x to S(1), size = 3, stride = 2) to B);
    print("mean", avg_pool2d(x), avg_pool2d(x to S(0), size = 3, stride = 1) to B, avg_pool2d(x to S(1), size = 5) to B);
    print("inner", conv2d(x to S(1), w to S(1))[0, 0] to B);
}
