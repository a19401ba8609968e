// Loops of the host, whose turns the running program counts or decides, over states of one element and of few: what regions compute in the turns, what they
// give the host, what it gives them, exits, loops within, what is read behind.
//% ranks 1 (2)
//% also --target-cpu=x86-64-v3
//% also -O3
//% fails [--far=3] index 4 is out of range
//% fails [--zero=true] division by zero
//% fails [--bad=true --check=finite] `s` becomes infinite in step
const N : int = 1;
config far : int = 0;
config zero : bool = false;
config bad : bool = false;
config many : int = 40;
place one = ranks(0..N);
state s : f64 @ one = 0.5;
state v : f64[4] @ one = (iota(4) + 1) as f64;
state k : i64 @ one = 27;
state a : i64 @ one = 0;
state b : i64 @ one = 1;
state seen : bool @ one = false;

fn halved(x0: i64, most: int) {
    var (x, n) = (x0, 0);
    while x != 1 && n < most { if x % 2 == 0 { x = floor_div(x, 2); } else { x = 3 * x + 1; } n += 1; }
    return (x, n);
}
fn oscillator(x0: f64, n: int, h: float) {
    var (x, u) = (x0, 0.0 as f64);
    for i in 0..n { let f = -x - 0.1 * u; u += h * f; x += h * u; if x > 10.0 { return (x, u, i); } }
    return (x, u, n);
}

main {
    for i in 0..many { s = 3.7 * s * (1.0 - s); }
    print(s);
    let (x, n) = halved(k, 1000);
    print(x, n, halved(k, 7));
    print(k);
    for i in 0..many { let next = a + b; a = b; b = next; if i % 10 == 9 { seen = a > 1000000; } }
    print(a, b, seen);
    let (y, u, turns) = oscillator(s, 50 * many, 0.01);
    print(y, u, turns, oscillator(s, many, -3.0));
    var left = 0;
    for i in 0..many {
        v[i % 4] = v[(i + 1) % 4] * 0.5 + s;
        if sum(v) > 3.5 { s = s * 0.9; continue; }
        s += 0.1 * (i as float);
        if v[0] > 2.5 { left = i; break; }
    }
    print(v, s, left);
    for i in 0..many {
        for j in 0..i % 5 { s += 0.01 * v[j % 4]; v[j] -= s * 0.001; }
        s = -s;
        while abs(s) > 1.0 { s = s * 0.5; left += 1; }
    }
    print(v, s, left);
    if far > 0 { for i in 0..many { v[i % 3 + far] += 1.0; } }
    if zero { for i in 0..many { a = floor_div(b, a - (i as i64) * a); } }
    if bad { for i in 0..many { s = s / (s - s); } }
    for i in 0..3 { s = s * 0.5; print(s); }
    print(v, a);
}
