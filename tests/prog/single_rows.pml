//% fold 1 (2 3) 4
//% also --verify-each --target-cpu=x86-64-v3
// Single rows and elements of split tensors go from their owner to all: through elementwise functions, beside each other, of
// meshes and of a dimension that two axes split, with gradients.
place p = ranks(0..4);
place m = ranks(0..4) as (a = 2, b = 2);
param w : f32[13, 3] @ p : S(0) = reshape((iota(39) % 7) as f32, [13, 3]);
param v : f32[6, 8] @ m : (a=S(0), b=S(1)) = reshape((iota(48) % 11) as f32, [6, 8]);
param n : f32[7, 3] @ m : (a=S(0), b=S(0)) = reshape((iota(21) % 5) as f32, [7, 3]);

fn far() -> f32 @ p : B {
    let d = w[0] * w[12] to B;
    return sum(d * (relu(w[5] - 2.0) to B));
}

fn corner() -> f32 @ m : B {
    return (v[4, 7] * v[1, 0] to B) + sum(v[2] to B) + sum(tanh(v[.., 3]) to B);
}

main {
    print(w[5] to B, w[12] to B, (w[0] - w[12]) to B);
    print(relu(w[3] - 2.0) to B);
    print(far(), v[4, 7] to B, corner());
    let (l, g) = value_and_grad(far)();
    print(l, g.w to B);
    let (l2, g2) = value_and_grad(corner)();
    print(l2, g2.v to B);
    print(n[6] to B, (n[2] to (b=S(0))) to B, (n[2] to (a=S(0))) to B, (v[.., 5] to (a=S(0))) to B);
    print(sum(w[4] to S(0)) to B);
}
