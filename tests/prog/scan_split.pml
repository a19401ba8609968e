// Running totals along a split dimension, finished by the totals of the shards: sums, products, maxima and minima from either end, with and without the
// element itself, of what is computed on the way, over one axis and two, in even, uneven and unequal shares, of more ranks than rows, and their gradients.
//% layouts 0:1 1:2 2:3 (3:4) 4:4 5:4 (6:4) 7:4 8:4
//% also --reproducible
const LAYOUT : int = 0;
const M : int = [1, 2, 3, 4, 2, 2, 2, 1, 4][LAYOUT];
const N : int = [1, 1, 1, 1, 2, 2, 2, 4, 1][LAYOUT];
place all = ranks(0..M * N) as (a = M, b = N);
// of a vector; of a matrix that is scanned along its first dimension, and along its last
const VA : layout = [S(0), S(0), S(0), S(0), S(0), B, S(0), B, S(0)][LAYOUT];
const VB : layout = [B, B, B, B, S(0), S(0), B, S(0, shares = [2, 0, 3, 1]), B][LAYOUT];
const RA : layout = [S(0), S(0), S(0), S(0), S(0), S(1), S(0), B, S(0)][LAYOUT];
const RB : layout = [B, B, B, B, S(1), S(0), S(0), S(0, shares = [1, 2, 1, 1]), B][LAYOUT];
const CA : layout = [S(1), S(1), S(1), S(1), S(0), S(1), S(1), B, S(1)][LAYOUT];
const CB : layout = [B, B, B, B, S(1), S(0), S(1), S(1), B][LAYOUT];

state v : f64[13] @ all : (a=VA, b=VB) = iota(13) as f64 - 5.0;
state few : f64[3] @ all : (a=VA, b=VB) = iota(3) as f64 + 1.0;
state w : f64[10, 2] @ all : (a=RA, b=RB) = 1.0 + reshape(iota(20), [10, 2]) as f64 / 16.0;
state u : i64[3, 11] @ all : (a=CA, b=CB) = reshape((iota(33) * 7) % 11, [3, 11]);

op from_end(a[.., j], n: int) -> [.., n] = sum[j] where(j >= n, a, 0);
op before(a[j, ..], n: int) -> [n, ..] = sum[j] where(j < n, a, 0);
op behind(a[.., j], n: int) -> [.., n] = max[j] where(j > n, a, -1.0 / 0.0);
op largest_square(a[.., j], n: int) -> [.., n] = max[j] where(j <= n, a * a - a, -1.0 / 0.0);
op shifted(a[j], n: int) -> [n] = sum[j] where(j + 2 <= n, a, 0);

fn show(x) { return x to @all : B; }
fn of_sums(x) { let y = cumsum(x) to (a=VA, b=VB); return sum(y * y) to B; }
fn of_products(x) { let y = cumprod(x, dim = 0) to (a=RA, b=RB); return sum(y * y) to B; }

main {
    print(show(cumsum(v) to (a=VA, b=VB)), show(cumsum(few) to (a=VA, b=VB)));
    print(cumsum(v) to B, show(from_end(v, n = 13) to (a=VA, b=VB)));
    print(show(shifted(v, n = 13) to (a=VA, b=VB)));
    print(show(behind(v - 20.0, n = 13) to (a=VA, b=VB)));
    print(show(largest_square(v, n = 13) to (a=VA, b=VB)));
    print(show(cummin(-v) to (a=VA, b=VB)), show(cummax(v * v) to (a=VA, b=VB)));
    print(show(cumprod(w, dim = 0) to (a=RA, b=RB)));
    print(show(before(w, n = 10) to (a=RA, b=RB)));
    print(show(cumsum(u) to (a=CA, b=CB)));
    print(show(cumsum(u > 5) to (a=CA, b=CB)));
    print(show(grad(of_sums, wrt = "x")(v)), show(grad(of_products, wrt = "x")(w)));
    var h = v;
    for t in 0..4 { h = tanh(cumsum(h) to (a=VA, b=VB)); }
    print(show(h));
}
