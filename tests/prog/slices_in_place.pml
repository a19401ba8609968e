// Slices whose place the running program knows, put where others are, in loops of the graph and of the host, in states and in what turns carry, with reads beside and behind:
// the same by choosing element by element.
//% layouts 0:1 1:2 2:2 3:3 (4:4)
//% also --reproducible
const LAYOUT : int = 0;
const R : int = [1, 2, 2, 3, 4][LAYOUT];
place all = ranks(0..R);
const L : layout = [B, S(0), S(1), S(2), S(1)][LAYOUT];
const H : int = 4;
const T : int = 40;
const K : int = 6;

state cache : f64[H, T, K] @ all : L = zeros();
state like  : f64[H, T, K] @ all : L = zeros();
state line  : f32[T * 4] @ all = zeros();
state same  : f32[T * 4] @ all = zeros();
state count : i32[T] @ all = zeros();

// What the slice at a becomes, by choice.
fn placed(x, v, a, width: int) {
    let at = reshape(iota(T), [1, T, 1]);
    let wide = concat([zeros([H, T, K]) as f64, v, zeros([H, T, K]) as f64], dim = 1);
    return where(at >= a && at < a + width, wide[.., T - a..2 * T - a, ..], x);
}
fn rows(t, width: int) { return sin(reshape(iota(H * width * K) as f64, [H, width, K]) + (t as f64)); }

fn turns(x) {
    var y = x;
    for t in 0..9 {
        y[.., 3 * t..3 * t + 3, ..] = 0.5 * y[.., 3 * t + 1..3 * t + 4, ..] + 1.0;
        y[.., (t * 5) % 32..(t * 5) % 32 + 2, ..] = 2.0;
        y = y + 0.001 * (t as f64);
    }
    return y;
}
fn turns_chosen(x) {
    var y = x;
    for t in 0..9 {
        y = placed(y, 0.5 * y[.., 3 * t + 1..3 * t + 4, ..] + 1.0, 3 * t, 3);
        y = placed(y, full(2.0, [H, 2, K]) as f64, (t * 5) % 32, 2);
        y = y + 0.001 * (t as f64);
    }
    return y;
}
fn kept(x) {
    var (y, before) = (x, 0.0 * x);
    for t in 0..6 {
        let old = y;
        y[.., 4 * t..4 * t + 4, ..] = rows(t, 4);
        before = before + old - y;
    }
    return before + y;
}
fn kept_chosen(x) {
    var (y, before) = (x, 0.0 * x);
    for t in 0..6 {
        let old = y;
        y = placed(y, rows(t, 4), 4 * t, 4);
        before = before + old - y;
    }
    return before + y;
}

fn of(f, x) { let y = f(x); return sum(y * y * y); }
fn slope(f, x) { return sum(sin(grad(of, wrt = "x")(f, x))); }

main {
    let start = reshape(iota(H * T * K) as f64 * 0.01, [H, T, K]);
    cache = start to @all : L;
    like = start to @all : L;
    for t in 0..12 {
        cache[.., 3 * t..3 * t + 3, ..] = rows(t, 3) to @all : B;
        like = placed(like to B, rows(t, 3) to @all : B, 3 * t, 3) to L;
        line[7 * t..7 * t + 5] = (iota(5) + t) as f32;
        same = where(iota(T * 4) >= 7 * t && iota(T * 4) < 7 * t + 5, (iota(T * 4) - 7 * t + t) as f32, same);
        count[t..t + 20] += 1;
        if t % 3 == 1 { cache[1..3, t..t + 1, ..] = 0.25; like = where(reshape(iota(T), [1, T, 1]) == t && (reshape(iota(H), [H, 1, 1]) >= 1 && reshape(iota(H), [H, 1, 1]) < 3), 0.25, like to B) to L; }
    }
    assert_equal(cache to B, like to B);
    assert_equal(line, same);
    print(count);
    assert_equal(turns(cache to B), turns_chosen(cache to B));
    if LAYOUT != 2 && LAYOUT != 4 { assert_equal(turns(cache) to B, turns_chosen(cache to B)); }
    assert_equal(kept(cache to B), kept_chosen(cache to B));
    let whole = cache to B;
    for f in [[turns, turns_chosen], [kept, kept_chosen]] {
        assert_close(grad(of, wrt = "x")(f[0], whole), grad(of, wrt = "x")(f[1], whole), rtol = 1e-13, atol = 1e-13);
        assert_close(grad(slope, wrt = "x")(f[0], whole), grad(slope, wrt = "x")(f[1], whole), rtol = 1e-11, atol = 1e-11);
    }
    let before = cache;
    cache[.., 11..13, ..] = 0.0;
    print((sum(abs(before - cache)) to B) > 0.0);
    // A place that only data knows.
    let at = argmax(line) % 30;
    line[at..at + 8] = line[at + 1..at + 9] * 2.0;
    print(line[0..40]);
}
