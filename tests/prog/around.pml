// What is read around shards: stencils of several reads, also nonlinear and under sums, in loops of the program and of functions,
// convolutions, pooling, rolls, slices and concatenations of split dimensions, with their gradients.
//% layouts 0:1 5:4 (1 2 3 4)
//% also --halos=parts
//% rtol 1e-4
const LAYOUT : int = 0;
const X : int = [1, 2, 4, 1, 3, 2][LAYOUT];
const Y : int = [1, 1, 1, 3, 1, 2][LAYOUT];
place grid = ranks(0..X * Y) as (x = X, y = Y);

state u : f32[11, 9] @ grid : (x=S(0), y=S(1)) = reshape((iota(99) * 7 % 11) as f32 * 0.1, [11, 9]);
param k : f32[2, 3, 3, 3] @ grid : B = reshape((iota(54) * 5 % 7) as f32 * 0.1 - 0.3, [2, 3, 3, 3]);

op heat(u[i, j]) -> [i, j] = u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]);
op corners(u[i, j]) -> [i, j] = u[i - 1, j - 1] * u[i + 1, j + 1] - 0.5 * u[i - 1, j + 1] * u[i + 1, j - 1];
op nine(u[i, j]) -> [i, j] = 0.1 * (u[i - 1, j - 1] * u[i - 1, j] + u[i - 1, j + 1] * u[i, j - 1] + u[i, j] * u[i, j + 1]
    + u[i + 1, j - 1] * u[i + 1, j] - u[i + 1, j + 1]);
op upper(u[i, j]) -> [i, j] = u[i - 1, j - 1] * u[i - 1, j] + u[i - 1, j + 1];
op lower(u[i, j]) -> [i, j] = u[i + 1, j - 1] * u[i + 1, j + 1] - u[i + 1, j];
op above(u[i, j]) -> [i, j] = u[i - 1, j];
op beside(u[i, j]) -> [i, j] = u[i, j + 2];

fn smooth(u: f32[11, 9] @ grid : (x=S(0), y=S(1))) -> f32 @ grid {
    var v = u;
    for t in 0..5 { v = heat(v) to (x=S(0), y=S(1)); }
    let w = (v[0..10] * v[1..11]) to (x=S(0), y=S(1));
    let z = exp(above(w) + beside(w)) to (x=S(0), y=S(1));
    return sum(z) + sum(corners(v) to (x=S(0), y=S(1))) to B;
}

fn net(x, k) {
    let y = relu(conv2d(x, k, pad = 1)) to (x=S(2), y=S(3));
    let z = max_pool2d(y) to (x=S(2), y=S(3));
    let a = avg_pool2d(conv2d(x, k, stride = 2) to (x=S(2), y=S(3))) to (x=S(2), y=S(3));
    return sum(z * z) + sum(a) to B;
}

// Nine reads in one operator, and as many in several, which are added before a `to`, on one rank along an axis as on more.
fn points(u: f32[11, 9] @ grid : (x=S(0), y=S(1))) -> f32 @ grid {
    let v = tanh(nine(u)) to (x=S(0), y=S(1));
    let w = tanh(upper(v) - 0.5 * lower(v) * v) to (x=S(0), y=S(1));
    return sum(v * w) to B;
}

main {
    for t in 0..3 { u = heat(u) to (x=S(0), y=S(1)); }
    print(u to B);
    let (l, g) = value_and_grad(smooth)(u);
    print(l, g to B);
    let x = reshape((iota(2 * 3 * 9 * 8) * 11 % 17) as f32 * 0.1 - 0.7, [2, 3, 9, 8]) to @grid : (x=S(2), y=S(3));
    let (m, (dx, dk)) = value_and_grad(net, wrt = [0, 1])(x, k);
    print(m, sum(dx * dx) to B, dk to B);
    print(roll(u, 3, dim = 0) to (x=S(0), y=S(1)) to B, flip(u, dim = 1) to (x=S(0), y=S(1)) to B);
    print(concat([u[9..11], u[0..4]], dim = 0) to (x=S(0), y=S(1)) to B, u[1..10, 2..8] to (x=S(0), y=S(1)) to B);
    print(cumsum(u[1..4] to (x=S(0)), dim = 1) to B);
    let (q, dq) = value_and_grad(points)(u);
    print(q, dq to B);
}
