// Infinities, NaN and -0.0 among the inputs: on every number of ranks they come out where they do on one, with their signs (1.0 / x).
//% ranks 1 3 (2 4)
//% rtol 1e-4
const N : int = 1;
place p = ranks(0..N);
param w : f32[6] @ p : B = iota(6) as f32 * 0.5 + 3.0;
param one : f32[12, 6] @ p : S(0) = ones();

// What is computed of `z` is not known when compiling.
fn special(s: int, period: int) -> f32[12, 6] @ p : S(0) {
    let i = (reshape(iota(72), [12, 6]) * 31 + s) % period;
    let z = one - one;
    let f = i as f32 * 0.25 - 2.0 + z;
    return where(i == 3, 1.0 / z, where(i == 5, -1.0 / z, where(i == 7, z / z, where(i == 9, -1.0 * z, where(i == 11, z, f)))));
}

fn show(v) { print(v, 1.0 / v); }

fn all(x: f32[12, 6] @ p : S(0), y: f32[12, 6] @ p : S(0)) {
    show((sum(x, dim = 0)) to B);
    show((max(x, dim = 0)) to B);
    show((min(x, dim = 0)) to B);
    show((prod(x, dim = 0)) to B);
    show((mean(x, dim = 0)) to B);
    show((sum(x, dim = 1)) to B);
    show((norm(x, dim = 0)) to B);
    show((logsumexp(x, dim = 0)) to B);
    show((softmax(x, dim = 0)) to B);
    show((cumsum(x, dim = 0)) to B);
    show((transpose(x) @ x) to B);
    show(((transpose(x) to B) @ (x to B)) to B);
    show((x[2]) to B);
    show((x[3..7]) to B);
    show((x[1..12]) to B);
    show((concat([x[0..3], x[5..9]], dim = 0)) to B);
    show((flip(x, dim = 0)) to B);
    show((roll(x, 2, dim = 0)) to B);
    show((pad(x, 1, 1, dim = 0)) to B);
    show((where(x > 0.0, x, 0.0)) to B);
    show((x[3] + x[5]) to B);
    show((2.0 * x[4] - x[9]) to B);
    show((-x[3]) to B);
    show((x[2] * w) to B);
    show((w * x[7] + 1.0) to B);
    show((max(x, dim = 0) * 2.0) to B);
    show((-max(x, dim = 0)) to B);
    show((min(x, dim = 0) - 1.0) to B);
    show((concat([max(x, dim = 0), min(x, dim = 0) to B])) to B);
    show((relu(max(x, dim = 0))) to B);
    show((sum(x, dim = 0) * 2.0) to B);
    show((-sum(x, dim = 0)) to B);
    show((sum(x[0..5], dim = 0)) to B);
    show((embed(x, [0, 7, 3, 11] as i32 to @p : B)) to B);
    show((take(x[.., 2], [1, 5, 9] as i32 to @p : B)) to B);
    show((maximum(x, y)) to B);
    show((minimum(x, y)) to B);
    show((x @ (transpose(y) to B)) to B);
    show((stack([x[1], x[8]], dim = 0)) to B);
    show((reshape(x, [72])) to B);
    show((x to B) to B);
    show((sign(x)) to B);
    show((sqrt(x)) to B);
    show((exp(x)) to B);
    show((tanh(x)) to B);
    show((floor(x)) to B);
    show((round(x)) to B);
    show((clamp(x, -1.0, 1.0)) to B);
    show((sum(x * y, dim = 0)) to B);
    show((sum(x)) to B);
    show((max(x)) to B);
    show((x[5, 2] * 3.0) to B);
    show((diagonal(x[0..6])) to B);
    show((tril(x)) to B);
    show((std(x, dim = 0)) to B);
}

main {
    all(special(1, 17), special(8, 17));
    all(special(1, 61), special(40, 61));
    all(special(2, 311), special(300, 311));
}
