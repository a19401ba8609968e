// What is made of numbers alone, such as the angles of rotary positions, inside of micro-batches, which all read it: in one stage and two.
//% ranks 1 2
import std.nn;
const N : int = 1;
place grid = ranks(0..N) as (pp = N);
place last = grid[pp = N - 1];
param w : f32[3, 2, 4, 2] @ grid[pp = 0] = normal(std = 0.4);
param v : f32[4] @ last = normal(std = 0.4);

fn objective[n](x: f32[n, 3, 4] @ grid[pp = 0]) -> f32 @ last : B {
    let qkv[c, n, h, t, k] = sum[d] x[n, t, d] * w[c, h, d, k];
    let o = nn.attention(nn.rotary(qkv[0]), nn.rotary(qkv[1]), qkv[2]) to @last;
    let y = reshape(permute(o, [0, 2, 1, 3]), [n, 3, 4]) * v * cos(iota(4) as f32);
    return mean(y * y) to B;
}

main {
    let x = normal(rng(1), [8, 3, 4]);
    let (l, g) = value_and_grad(objective)(x to @grid[pp = 0]);
    let (m, h) = microbatch(4) { value_and_grad(objective)(x to @grid[pp = 0]) };
    assert_close(l, m);
    assert_close(g.w, h.w, atol = 1e-6);
    assert_close(g.v, h.v, atol = 1e-6);
    print(m, h.v);
}
