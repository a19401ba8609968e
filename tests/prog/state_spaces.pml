// A layer of Mamba, its batch or its channels split, and a filter for each channel. Values and gradients: another program (PyTorch), token by token.
//% ranks 1 2 (3 4)
//% rtol 2e-5
import std.nn;
const N : int = 1;
const T : int = 9;
place p = ranks(0..N);
param layer : nn.Mamba[6, 8, 3, 2, 4, p];

fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f32, sizes) - 11.0) * 0.1; }
fn fill() {
    layer.up = 0.5 * ramp([6, 16], 7);
    layer.filter = 0.5 * ramp([8, 4], 5);
    layer.shift = 0.5 * ramp([8], 3);
    layer.mix = 0.5 * ramp([8, 8], 9);
    layer.time = 0.5 * ramp([2, 8], 4);
    layer.least = 0.5 * ramp([8], 6);
    layer.rate = 0.5 * ramp([8, 3], 8);
    layer.skip = 0.5 * ramp([8], 11);
    layer.down = 0.5 * ramp([8, 6], 13);
}
fn of_batch(x: f32[5, T, 6] @ p : S(0)) { return 1e6 * (mean(square(nn.mamba(x, layer))) to B); }

fn scanned(x: f32[5, T, 6] @ p : B) {
    let u = x @ (layer.up[.., 0..8] to S(1));                        // channels are split
    let b = x[.., .., 0..3];
    return mean(square(nn.selective_scan(u, sigmoid(u), -exp(layer.rate) to S(0), b, sin(b), layer.skip to S(0)))) to B;
}

main {
    assert(shape(nn.mamba(zeros([2, 0, 6]) to @p, layer)) == [2, 0, 6]);                    // no tokens
    fill();
    let x = ramp([5, T, 6], 10) to @p : S(0);
    print(nn.mamba(x, layer)[4, 8] to B);
    let (l, g) = value_and_grad(of_batch)(x);
    print(l, g.layer.rate[7], g.layer.least[0..4], g.layer.filter[2], g.layer.time[1, 0..3]);
    print(grad(of_batch, wrt = "x")(x)[3, 4] to B);
    let (m, h) = value_and_grad(scanned)(x to B);
    print(m, h.layer.rate[7], h.layer.skip);
    let taps = ramp([6, 4], 7);
    let turned = transpose(conv1d(transpose(x), unsqueeze(taps, dim = 1), pad = 3, groups = 6))[.., 0..T, ..];
    print((max(abs(turned - nn.causal_conv(x, taps))) to B) < 1e-6);
    print(conv1d(transpose(x), ramp([4, 3, 2], 5), stride = 2, dilation = 3, groups = 2)[2] to B);
    let changed = x[.., 0..6, ..];
    print(max(abs(nn.mamba(changed, layer) - nn.mamba(x, layer)[.., 0..6, ..])) to B);
}
