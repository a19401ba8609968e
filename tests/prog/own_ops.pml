// Operators a program declares itself: values and gradients. Values: expected.py (numpy, torch).
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);

op cube(a[..]) -> [..] = a * a * a;
op distance(a[m, k], b[n, k]) -> [m, n] = sum[k] (a - b) * (a - b);
op lookup(t[v, d], i[..]: int) -> [.., d] = t[i, d];
op smooth(x[n], w[k], y: int) -> [y] = sum[k] x[y + k] * w[k];
op causal(a[i, j]) -> [i, j] = if j <= i => a else 0.0;
op position(n: int, m: int) -> [n, m] = n * extent(m) + m;
op huber(a[..], d: float) -> [..] = where(abs(a) < d, 0.5 * a * a, d * (abs(a) - 0.5 * d));
op third(a[i, j, k], b[k], c[j]) -> [i] = sum[j, k] a * b * c;
op softer[t: float](a[..]: t) -> [..] : t = a / (1.0 + abs(a));

fn cubes(x: f32[5]) -> f32 { return sum(cube(x)) to B; }
fn all_distances(a: f32[3, 2], b: f32[4, 2]) -> f32 { return sum(distance(a, b)) to B; }
fn looked(t: f32[4, 2], i: i64[3]) -> f32 { return sum(cube(lookup(t, i) to B)) to B; }
fn smoothed(x: f32[6], w: f32[3]) -> f32 { return sum(cube(smooth(x, w, y = 4))) to B; }
fn masked(a: f32[3, 3]) -> f32 { return sum(cube(causal(a))) to B; }
fn robust(x: f32[5]) -> f32 { return sum(huber(x, 1.5)) to B; }
fn triple(a: f32[2, 3, 4], b: f32[4], c: f32[3]) -> f32 { return sum(square(third(a, b, c))) to B; }

op twice(a[..], k[] = 2) -> [..] = k * a;
main {
    let x = iota(5) as f32 - 2.0 to @p : S(0);
    print("cube", cube(x) to B, cubes(x), grad(cubes)(x) to B);
    let a = reshape(iota(6) as f32, [3, 2]) to @p : S(0);
    let b = reshape(iota(8) as f32, [4, 2]) * 0.5 to @p : B;
    let (da, db) = grad(all_distances)(a, b);
    print("distance", distance(a, b) to B, da to B, db to B);
    let i = iota(3) * 2 % 4 to @p : B;
    print("lookup", lookup(b, i), grad(looked)(b, i), grad(looked)(b to S(0), i) to B, grad(looked, wrt = "t")(b to S(1), i) to B);
    let v = iota(6) as f32 * 0.5 to @p : B;
    let w = iota(3) as f32 - 0.5 to @p : B;
    let (dv, dw) = grad(smoothed)(v, w);
    print("smooth", smooth(v, w, y = 4), dv, dw);
    let m = reshape(iota(9) as f32 + 1.0, [3, 3]) to @p : S(1);
    print("causal", causal(m) to B, grad(masked)(m) to B);
    print("huber", huber(x, 1.5) to B, grad(robust)(x) to B);
    let t = reshape(iota(24) as f32, [2, 3, 4]) * 0.1 to @p : S(0);
    let (dt, d4, d3) = grad(triple)(t, iota(4) as f32 to @p, iota(3) as f32 to @p);
    print("third", third(t, iota(4) as f32, iota(3) as f32) to B, dt to B, d4 to B, d3 to B);
    print("position", position(n = 2, m = 3) to @p : S(0) to B, softer(x as f64) to B);
    // Numbers that may be left out, and elementwise operators called at points, by position or name.
    let more = iota(3) as f32 - 1.0 to @p : B;
    assert_close(twice(more) to B, 2.0 * more);
    assert_close(twice(more, k = 3.0) to B, 3.0 * more);
    let clamped[j] = clamp(more[j], high = 0.5, low = -0.25);
    assert_close(clamped, [-0.25, 0.0, 0.5]);
    let leaky[j] = leaky_relu(more[j]) + leaky_relu(slope = more[j], a = -2.0);
    assert_close(leaky, [1.99, 0.0, -1.0]);
}
