// S segments of K turns each, of which gradients keep one value a segment and, while one is computed again, one a turn.
place p = ranks(0..1);
const S : int = 10;
const K : int = 10;
param w : f32[32, 32] @ p = normal(std = 0.1);

fn f(x: f32[8, 32] @ p) -> f32 @ p {
    var h = x;
    remat every K for i in 0..S * K { h = tanh(h @ w + x); }
    return mean(h);
}

main { let (l, g) = value_and_grad(f)(ones([8, 32]) to @p); print(l, norm(g.w)); }
