// Arithmetic of integers and their host counterparts. Values: expected.py (numpy; remainders have the sign of what is divided).
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);

main {
    let i = iota(7) as i32 - 3 to @p : S(0);
    print(i + i to B, i * 3 - 7 to B, floor_div(i, 2) to B, i % 2 to B, -i to B, abs(i) to B);
    print(floor_div(7, i * 2 + 1) to B, max(i) to B, min(i) to B, sum(i) to B, prod(i + 4) to B, argmax(i * i to B));
    let u = iota(6) as u8 to @p : S(0);
    print(u + 254 to B, u * 100 to B, u - 1 to B, floor_div(u, 2) to B, max(u) to B, sum(u) to B);
    let l = iota(4) * 4000000000 to @p : S(0);
    print(l to B, sum(l) to B, floor_div(l, 7) to B, l % 7 to B, max(l, 5000000000) to B);
    let w = iota(4) as u64 to @p : S(0);
    print(w - 1 to B, max(w - 1) to B, w as f64 to B);
    print(maximum(i, 1) to B, minimum(i, 1) to B, clamp(i, -1, 2) to B, where(i > 0, i, -i) to B);
    let s = iota(4) as i16 * 20000 to @p : S(0);
    print(floor_div(i, -2) to B, floor_div(i, 2 * i + 1) to B, i % where(i == 0, 5, i) to B);
    print(s to B, (iota(4) as i8 * 50) to @p, square(i) to B);
}
