// Attention within windows, then within windows that are shifted round the edge: positions from a table, a mask, patches merged, with gradients.
// Values: expected.py (torch).
//% ranks 1 (2) 3 (4)
//% rtol 1e-4
import std.loss;
const N : int = 1;
const W : int = 2;
const G : int = 4;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
struct Attention { qkv : f32[6, 3, 2, 3] @ p = numbers([6, 3, 2, 3], 37), o : f32[2, 3, 6] @ p = numbers([2, 3, 6], 91), table : f32[9, 2] @ p = numbers([9, 2], 331) }
param net : Attention;
param merge : f32[24, 8] @ p = 0.3 * numbers([24, 8], 59);
param head : f32[8, 3] @ p = numbers([8, 3], 97);
state x : f32[5, G, G, 6] @ p : S(0) = numbers([5, G, G, 6], 101);
state t : i32[5] @ p : S(0) = [0, 2, 1, 1, 0];

fn parts[n, c](x: f32[n, G, G, c]) { return reshape(permute(reshape(x, [n, G / W, W, G / W, W, c]), [0, 1, 3, 2, 4, 5]), [n, 4, 4, c]); }
fn whole[n, c](x: f32[n, 4, 4, c]) { return reshape(permute(reshape(x, [n, G / W, G / W, W, W, c]), [0, 1, 3, 2, 4, 5]), [n, G, G, c]); }
fn positions() {
    let (r, c) = (floor_div(iota(4), 2), iota(4) % 2);
    let between = (unsqueeze(r, dim = 1) - r + 1) * 3 + unsqueeze(c, dim = 1) - c + 1;
    return permute(net.table[between], [2, 0, 1]);
}
fn neighbours() {
    let r = (iota(G) >= G - W) as i32 + (iota(G) >= G - 1) as i32;
    let area = reshape(unsqueeze(r, dim = 1) * 3 + r, [1, G / W, W, G / W, W]);
    let of = reshape(permute(area, [0, 1, 3, 2, 4]), [4, 1, 4]);
    return unsqueeze(of, dim = 3) == unsqueeze(of, dim = 2);
}
fn attended(x, shifted: bool) {
    let y[k, n, w, h, t, e] = sum[d] x[n, w, t, d] * net.qkv[d, k, h, e];
    var s = y[0] @ transpose(y[1]) / sqrt(3.0) + positions();
    if shifted { s = where(neighbours(), s, s - 100.0); }
    let a = softmax(s) @ y[2];
    let o[n, w, t, d] = sum[h, e] a[n, w, h, t, e] * net.o[h, e, d];
    return o;
}
fn objective(image, t) {
    let x = image + whole(attended(parts(image), false));
    let s = whole(attended(parts(roll(roll(x, -1, dim = 1), -1, dim = 2)), true));
    let y = x + roll(roll(s, 1, dim = 1), 1, dim = 2);
    let z = mean(layernorm(reshape(parts(y), [y.shape[0], 4, 24])) @ merge, dim = 1) @ head;
    return (loss.cross_entropy(z, t) to B, z);
}

main {
    let ((l, z), g) = value_and_grad(objective)(x, t);
    print(l, z to B);
    print(g.net.table, g.net.qkv[2], g.net.o[1], g.merge[5]);
    print(sum(grad(objective, wrt = "image")(x, t), dim = [1, 2]) to B);
}
