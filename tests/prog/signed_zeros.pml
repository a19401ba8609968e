// Zeros keep their signs, which 1.0 / x shows: in elements that are assigned and those beside them, in maxima and minima of any order
// (0.0 is greater than -0.0), in what is rolled, in numbers of loops that stay loops, of the host and of the compiler alike.
//% ranks 1 3 (2 4)
//% also --loops=unrolled
//% bits signed_zeros
const N : int = 1;
place p = ranks(0..N);
config z : float = 0.0;
config n : int = 2;
param one : f32[12, 7] @ p : S(0) = ones();
state t : f32[4] @ p : S(0) = zeros();

fn show(v) { print(1.0 / v); }

// Zeros of both signs, and elements that are `less` of them: not known when compiling.
fn zeros_and(s: int, less: f32) -> f32[12, 7] @ p : S(0) {
    let none = one - one;
    let i = (reshape(iota(84), [12, 7]) * 5 + s) % 11;
    return where(i < 5, none, where(i < 10, -none, less * one));
}

fn extrema(x: f32[12, 7] @ p : S(0), y: f32[12, 7] @ p : S(0)) {
    show(max(x, dim = 0) to B);
    show(min(y, dim = 0) to B);
    show(max(x, dim = 1) to B);
    show(min(y, dim = 1) to B);
    print(1.0 / (max(x) to B), 1.0 / (min(y) to B));
    show((cummax(x, dim = 0) to B)[11]);
    show((cummin(y, dim = 0) to B)[11]);
    show(maximum(x[0..2], -x[0..2]) to B);
    show(minimum(-y[0..2], y[0..2]) to B);
    show(relu(max(x, dim = 0)) to B);
    show(clamp(x[0..2], -0.0, 1.0) to B);
    show(clamp(y[0..2], -1.0, 0.0) to B);
    show(segment_max(x, [0, 1, 0, 1, 0, 1, 0] as i32, 2)[3..5] to B);
}

fn of_turns(x: f32[4] @ p : S(0), n: int) {
    var y = x;
    for i in 0..n {
        let s = 0.0 * i - 0.0;
        print(i, 1.0 / s);
        y = y * s;
    }
    return sum(y) to B;
}

fn of_angles(x: f32[3]) { var y = x; for k in [0.0, -0.0, 0.0] { y = y * 0.5 + atan2(k, -1.0) * x; } return y; }

main {
    for s in 0..2 { extrema(zeros_and(s, -1.0), zeros_and(s, 1.0)); }
    print(1.0 / max(0.0, -0.0), 1.0 / max(-0.0, 0.0), 1.0 / max(z, -z), 1.0 / max(-z, z), 1.0 / relu(-z));
    print(1.0 / min(0.0, -0.0), 1.0 / min(-0.0, 0.0), 1.0 / min(z, -z), 1.0 / min(-z, z), max(z / z, 1.0), min(1.0, z / z));
    print(0 / -5, (n - 2) / -5);

    var x = ones([4]);
    x[0..2] = -0.0;
    show(x);
    x[n] = -z;
    show(x);
    t = -zeros([4]) to @p : S(0);
    t[1] = 0.0;
    show(t to B);
    t[n] = 0.0;
    show(t to B);
    t[n..n + 2] = full(-0.0, [2]);
    show(t to B);
    t[0..2] += -z;
    show(t to B);
    t[0] += 0.0;
    show(t to B);
    t[n] -= 0.0;
    t[n + 1] *= -1.0;
    show(t to B);
    var c = iota(5) > 2;
    c[0] = true;
    c[n..n + 2] = false;
    print(c);

    show(roll(zeros_and(0, -1.0), 5, dim = 0) to B);
    show(roll(zeros_and(1, -1.0), -1, dim = 0) to S(0) to B);

    let (a, g) = value_and_grad(of_turns, wrt = 0)(t, 2);
    let (b, h) = value_and_grad(of_turns, wrt = 0)(t, n);
    print(a == b);
    print(of_angles(ones([3]) to @p));
}
