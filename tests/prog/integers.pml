// Arithmetic of integers and their host counterparts. Values: expected.py (numpy; remainders have the sign of what is divided).
//% ranks 1 4 (2 3)
const N : int = 1;
config five : int = 5;
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
    let n = iota(7) * 2 - 1;
    let b = iota(7) as i8 * 37 to @p : S(0);
    print(bitwise_and(b, 60) to B, bitwise_or(b, 6) to B, bitwise_xor(b, -1) to B, bitwise_not(b) to B);
    print(left_shift(b, n as i8) to B, right_shift(b, n as i8) to B, left_shift(u, 7) to B, right_shift(u - 1, u) to B);
    print(left_shift(w + 1, w + 61) to B, right_shift(w - 1, 20 * w) to B, right_shift(-l, 8) to B, right_shift(-l, 64) to B);
    print(bitwise_and(five, 12), bitwise_or(five, 8), bitwise_xor(-five, 3), bitwise_not(five), left_shift(five, 60), right_shift(-five, 1), left_shift(1, five - 6));
    print(bitwise_and(12, 10), right_shift(-5, 70), take(iota(4), bitwise_and(i, 3)) to B);
    // Remainders that come back together after more turns than an int counts.
    let many = iota(4000);
    print(sum(where(many % 2 == 1, many % 9223372036854775807, many % 3)), max((many % 4) * (many % 4611686018427387905)));
}
