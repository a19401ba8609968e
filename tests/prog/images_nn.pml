// Layers of std.nn for images, with gradients: groupnorm, conv, conv_block, global_pool. Values: expected.py (torch).
//% ranks 1 (2) 3
//% rtol 1e-4
import std.nn;
const N : int = 1;
place p = ranks(0..N);

fn ramp(w, a: int) { return w * ((reshape((iota(volume(w)) * a % 23) as f32, shape(w)) - 11.0) * 0.1); }
param k1 : f32[4, 2, 3, 3] @ p = ones();
param b  : f32[4] @ p = ones();
param k2 : f32[6, 4, 3, 3] @ p = ones();
param scale : f32[6] @ p = ones();
param shift : f32[6] @ p = ones();

fn net(x: f32[3, 2, 6, 6] @ p : S(0)) {
    let h = nn.conv(x, ramp(k1, 7), ramp(b, 5), pad = 1);
    let y = nn.conv_block(h, ramp(k2, 3), ramp(scale, 2), ramp(shift, 5), groups = 3, stride = 2, f = silu);
    return nn.global_pool(y);
}
fn objective(x: f32[3, 2, 6, 6] @ p : S(0)) { let y = net(x); return mean(y * y) to B; }

main {
    let x = reshape((iota(216) * 13 % 29) as f32, [3, 2, 6, 6]) * 0.1 - 1.4 to @p : S(0);
    print(net(x) to B);
    let (l, g) = value_and_grad(objective)(x);
    print(l, g.k1[1], g.b, g.k2[5, 2], g.scale, g.shift);
}
