// Reductions of a middle dimension of more data than caches hold, which go line by line, are those of halves of it, which do not.
//% ranks 1 (2 3 4)
const N : int = 1;
place p = ranks(0..N);
const B : int = 16;
const K : int = 2048;
const V : int = 129;

state x : f32[B, K, V] = zeros();

fn values() -> f32[B, K, V] {
    let (i, k, v) = (iota(B) as i32, iota(K) as i32, iota(V) as i32);
    let x[b, l, u] = i[b] * 7 + k[l] * 13 + v[u] * 3;
    return (x % 61 - 30) as f32;
}
fn compared(x: f32[B, K, V]) {
    let (low, high) = (x[.., ..K / 2, ..], x[.., K / 2.., ..]);
    assert(all(sum(x, dim = 1) == sum(low, dim = 1) + sum(high, dim = 1)));
    assert(all(max(x, dim = 1) == max(max(low, dim = 1), max(high, dim = 1))));
    assert(all(min(x * 3.0, dim = 1) == min(min(low, dim = 1), min(high, dim = 1)) * 3.0));
    assert(all(sum(square(x), dim = 1) == sum(square(low), dim = 1) + sum(square(high), dim = 1)));
    assert(all(sum(x as i32, dim = 1) == (sum(x, dim = 1)) as i32));
}
main {
    x = values();
    compared(x);
    let parts = x to @p : S(1);
    print(sum(sum(parts, dim = 1) to B), max(max(parts, dim = 1) to B));
    let lines = x to @p : S(2);
    print(sum(sum(lines, dim = 1)) to B, max(sum(square(lines), dim = 1)) to B);
    x[3, 77, 5] = 0.0 / 0.0;
    print(max(x, dim = 1)[3, 4..7], sum(x, dim = 1)[3, 4..7]);
}
