// Convolutions with groups, dilation, along lines, transposed; pools with pads, upsampling, batchnorm with what it has seen, patches; with
// gradients. Values: expected.py (torch).
//% ranks 1 (2) 3
//% rtol 1e-4
import std.nn;
const N : int = 1;
place p = ranks(0..N);

param k1 : f32[6, 2, 3, 3] @ p = ones();
param k2 : f32[4, 6, 3, 2] @ p = ones();
param k3 : f32[4, 3, 3, 3] @ p = ones();
param k4 : f32[5, 3, 3] @ p = ones();
param scale : f32[6] @ p = ones();
param shift : f32[6] @ p = zeros();
state seen : nn.Seen[6, p];

fn ramp(w, a: int) { return w * ((reshape((iota(volume(w)) * a % 23) as f32, shape(w)) - 11.0) * 0.1); }

fn net(x: f32[3, 4, 7, 6] @ p : S(0), training: bool) {
    let h = conv2d(x, ramp(k1, 7), stride = 2, pad = 1, groups = 2);                              // [3, 6, 4, 3]
    let y = conv2d(nn.batchnorm(h, scale, shift, seen, training), ramp(k2, 5), dilation = 2, pad = 2);   // [3, 4, 4, 5]
    let z = conv_transpose2d(y, ramp(k3, 3), stride = 2, pad = 1);                                // [3, 3, 7, 9]
    let m = max_pool2d(z - 3.0, size = 3, stride = 2, pad = 1);                                   // [3, 3, 4, 5]
    return conv1d(reshape(upsample2d(m, 2), [3, 3, 80]), ramp(k4, 2), stride = 3, pad = 2, dilation = 2);   // [3, 5, 27]
}
fn objective(x: f32[3, 4, 7, 6] @ p : S(0)) { return mean(square(net(x, true))) to B; }

main {
    let x = reshape((iota(504) * 13 % 29) as f32, [3, 4, 7, 6]) * 0.1 - 1.4 to @p : S(0);
    for i in 0..2 {
        let (l, g) = value_and_grad(objective)(x);
        print(l, g.k1[1], g.k2[1, 2], g.k3[3, 1], g.k4[2], g.scale, g.shift);
        print(seen.mean, seen.variance);
    }
    print(net(x, false)[2, .., 0..9] to B);
    print(conv_transpose2d(x, ramp(k3, 3), pad = 2)[1, 2] to B);
    print(nn.patches(x[.., .., 0..6, ..], 3)[1] to B);
    print(avg_pool2d(x, size = 3, stride = 3, pad = 1)[1] to B, max_pool2d(x - 5.0, size = 2, stride = 3, pad = 1)[2] to B);
    let c = nn.batchnorm(reshape(x to B, [42, 12])[.., 0..6] to S(0), scale, shift, seen);
    print(c[0..2] to B, seen.mean);
}
