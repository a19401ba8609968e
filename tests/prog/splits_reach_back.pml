// What is made of tensors that all ranks have, and ends in shares, is computed in shares: the split reaches back through windows, products, sums,
// functions, reshapes and lines, in even and uneven shares, on meshes, into slots, also where two readers want the same.
//% ranks 1 3 (2 4)
const N : int = 1;
const A : int = 1;
place p = ranks(0..N) as (a = A, b = N / A);
param x : f64[2, 4, 13, 12] @ p : B = reshape((((iota(1248) * 7) % 13) - 6) as f64, [2, 4, 13, 12]);
param y : f64[2, 4, 13, 12] @ p : (a=S(0), b=B) = reshape((((iota(1248) * 5) % 11) - 5) as f64, [2, 4, 13, 12]);
param w : f64[4, 4, 3, 3] @ p : B = reshape((((iota(144) * 3) % 7) - 3) as f64, [4, 4, 3, 3]);
param g : f64[4, 2, 3, 3] @ p : B = reshape((((iota(72) * 3) % 7) - 3) as f64, [4, 2, 3, 3]);
param m : f64[12, 5] @ p : B = reshape((((iota(60) * 4) % 9) - 4) as f64, [12, 5]);
state kept : f64[2, 4, 13, 12] @ p : (b=S(2)) = zeros();
state left : f64[4, 13, 5] @ p : (a=S(1), b=S(0)) = zeros();
op around(u[a, b, i, j]) -> [a, b, i, j] = u[a, b, (i - 1)?, j] + u[a, b, (i + 2)?, j] - 2.0 * u[a, b, i, j];
op within(u[a, b, i, j], c[k]) -> [a, b, i, j] = sum[k] u[a, b, i + k - 2, j] * c[k] as f64;

fn weighed(t) { let s = shape(t); return sum(t * (reshape((iota(s[0] * s[1] * s[2] * s[3]) * 3) % 17, s) as f64)) to B; }
fn rows(t) { return weighed(t to (b=S(2))); }
fn nested(t) { return weighed(t to (a=S(0), b=S(2))); }
fn down(t) { return weighed(t to (a=S(2), b=S(2))); }

fn loss() {
    let h = relu(conv2d(x, w, pad = 1)) to (b=S(2));
    let k = conv2d(y, w, pad = 1) to (a=S(0), b=S(2));
    let q = (x @ m) to (a=S(1), b=S(2));
    return (sum(h * h) to B) + (sum(k * k) to B) + (sum(q * q) to B);
}

main {
    print(rows(conv2d(x, w, pad = 1)), rows(conv2d(x, w, stride = 2)), rows(conv2d(x, g, pad = 2, dilation = 2, groups = 2)));
    print(nested(conv2d(y, w, pad = 1)), nested(max_pool2d(y)), down(conv2d(x, w)), down(avg_pool2d(relu(x), size = 3, stride = 1)));
    print(rows(roll(x, 5, dim = 2)), rows(pad(x, before = 2, after = 3, dim = 2)), rows(flip(x, dim = 2)), rows(concat([x, 2.0 * x], dim = 2)));
    print(rows(around(x)), down(around(y)), rows(within(x, ones([5]))), rows(cumsum(x, dim = 2)), rows(cumsum(x, dim = 3)));
    print(rows(x @ m), nested(square(y) @ m), rows(x - sum(x, dim = 1)[0]), rows(transpose(x)));
    let twice = around(x);
    print(rows(twice), rows(square(twice)), sum(within(x, ones([3]))[0, 0, 5]));
    kept = 2.0 * around(x) + x;
    left = permute(x[1] @ m, [0, 1, 2]);
    print(weighed(kept), sum(left * left) to B);
    let (l, d) = value_and_grad(loss)();
    print(l, weighed(d.x), weighed(d.y), weighed(d.w), sum(d.m * d.m));
}
