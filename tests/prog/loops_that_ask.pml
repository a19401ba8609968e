// Loops over elements that conditions end, in turns of others: searches, a sort by insertion, iterations until they are near enough, exits, turns that are
// left, what lines move to, states and numbers that are read behind.
//% ranks 1 (2)
//% also --loops=unrolled
//% also --target-cpu=x86-64-v3
const SIZE : int = 26;
const N : int = 1;
place all = ranks(0..N);
state x : f64[SIZE] @ all = ((iota(SIZE) * 17 + 5) % 29) as f64 / 29.0 + 0.01;
state next : i64[SIZE] @ all = (iota(SIZE) * 7 + 3) % SIZE;

fn sorted(x0: f64[SIZE]) {
    var x = x0;
    for i in 1..SIZE {
        let v = x[i];
        var j = i - 1;
        while j >= 0 && x[maximum(j, 0)] > v { x[j + 1] = x[j]; j -= 1; }
        x[j + 1] = v;
    }
    return x;
}
// The first that is no less, by halves, and one by one.
fn halves(x: f64[SIZE], ask: f64[SIZE]) {
    var at = zeros([SIZE], dtype = i64);
    for i in 0..SIZE {
        var (low, high) = (0, SIZE);
        while low < high {
            let middle = floor_div(low + high, 2);
            if x[middle] < ask[i] { low = middle + 1; } else { high = middle; }
        }
        at[i] = low;
    }
    return at;
}
fn one_by_one(x: f64[SIZE], ask: f64[SIZE]) {
    var at = full(SIZE, [SIZE], dtype = i64);
    for i in 0..SIZE { for j in 0..SIZE { if x[j] >= ask[i] { at[i] = j; break; } } }
    return at;
}
fn roots(x: f64[SIZE]) {
    var (r, turns, last) = (x, 0, 0.0 as f64);
    for i in 0..SIZE {
        var y = 1.0 as f64;
        while abs(y * y - x[i]) > 1e-12 * x[i] { y = 0.5 * (y + x[i] / y); turns += 1; last = y; }
        r[i] = y;
    }
    return (r, turns, last);
}
// How long the cycle is that each is in, and which have been seen.
fn cycles(next: i64[SIZE]) {
    var (length, seen) = (zeros([SIZE], dtype = i64), zeros([SIZE], dtype = i64));
    for i in 0..SIZE {
        if seen[i] == 1 { continue; }
        var (at, n) = (i as i64, 0);
        while n == 0 || at != i { seen[at] = 1; at = next[at]; n += 1; }
        at = i;
        for k in 0..SIZE { if k >= n { break; } length[at] = n; at = next[at]; }
    }
    return (length, seen);
}
// More turns than those between two looks at the clock, and none.
fn long(x: f64[SIZE]) {
    var (k, s) = (0, 0.0 as f64);
    for i in 0..20 {
        while k < 150 * i { s += x[k % SIZE]; k += 1; }
        while s < 0.0 { s = s + 1.0; }
    }
    return (k, s);
}
fn many(x: f64[SIZE]) {
    var s = 0.0 as f64;
    for i in 0..2 { var k = 0; while k < 5000 { s += x[(k + i) % SIZE] * 0.5; k += 1; } }
    return s;
}
main {
    let i = iota(SIZE);
    let s = sorted(x);
    print(sum(s * i as f64), all(s[1..SIZE] >= s[0..SIZE - 1]), sum(s) - sum(x) < 1e-12);
    let (a, b) = (halves(s, x), one_by_one(s, x));
    print(all(a == b), sum(a * i), all(halves(s, 2.0 * s) >= i));
    let (r, turns, last) = roots(x);
    print(max(abs(r * r - x)) < 1e-11, turns, last == r[SIZE - 1]);
    print(cycles(next));
    print(long(x), many(x));
}
