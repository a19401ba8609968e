// Splits that are written differently and cut a tensor at the same elements are one: where operands meet, in functions, in loops, in what is
// kept, on two axes, and backward.
//% fold 1 2 4
//% also --verify-each --loops=unrolled
place p = ranks(0..4);
place g = ranks(0..4) as (dp = 2, tp = 2);
const rows : layout = S(0, shares = [3, 2, 2, 2]);
state a : f64[9, 5] @ p : S(0) = zeros();
state b : f64[9, 5] @ p : rows = zeros();
state c : f64[9, 5] @ p : S(0, shares = [7, 4, 4, 4]) = zeros();
state m : f64[7, 3] @ g : (dp=S(0), tp=S(0)) = zeros();
state n : f64[7, 3] @ g : (dp=S(0, shares = [3, 2]), tp=S(0, shares = [7, 3])) = zeros();
param w : f64[5, 9] @ p : S(1, shares = [10, 6, 6, 5]) = normal(std = 0.3);

fn added[L: layout](x: f64[9, 5] @ p : L, y: f64[9, 5] @ p : L) -> f64[9, 5] @ p : L { return x * y + x; }

fn loss(x: f64[9, 5] @ p : S(0), y: f64[9, 5] @ p : rows, z: f64[9, 5] @ p : S(0, shares = [7, 4, 4, 4])) -> f64 @ p : B {
    var h = x * y - z;
    for t in 0..3 {
        h = added(h, y) + tanh(z * h);
        h = if t > 0 => h + x else h - x;
    }
    let k = w @ h to B; // two splits of what is summed over
    return sum(h * h) + sum(k * k) to B;
}

main {
    a = reshape((iota(45) % 7) as f64 * 0.1, [9, 5]);
    b = reshape((iota(45) % 5) as f64 * 0.1, [9, 5]);
    c = a + b;
    b = added(a, b);
    a = added(b, a);
    let (l, d) = value_and_grad(loss)(a, b, c);
    let (dx, dy, dz) = grad(loss, wrt = [0, 1, 2])(a, b, c);
    a = dy;
    b = dz;
    c = dx;
    print(l, a to B, b to B, c + a - b to B, d.w to B);
    m = reshape((iota(21) % 4) as f64, [7, 3]);
    n = m * 2.0;
    m = (n + m) * n;
    print(m to B, sum(n - m) to B);
}
