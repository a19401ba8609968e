// Trailing dimensions are aligned; an extent of 1 fits any other. Values: expected.py (numpy).
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);
// Of an operand whose extents are 1, and which the body names often.
op often(a[..], b[..]) -> [..] = a + b * b * b * b - b * b * b * b + b * b * b * b - b * b * b * b;

main {
    let m = reshape(iota(12) as f32, [3, 4]) to @p : S(0);
    let row = iota(4) as f32 * 100.0 to @p;
    let column = reshape(iota(3) as f32 * 10.0, [3, 1]) to @p : S(0);
    print(m + row to B, row + m to B, m * column to B, column - row to B);
    print(m + 1.0 to B, 2.0 - m to B, m * 3 to B, -1.0 * m to B);
    print((m > row) to B, where(column > 5.0, m, row) to B, maximum(m, column) to B);
    let c = reshape(iota(24) as f32, [2, 3, 4]) to @p : S(1);
    print(c + m to B, c * row to B, c - column to B);
    let one = reshape(iota(2) as f32, [2, 1, 1]) to @p;
    print(one + m to B, one * column to B);
    print(often(m, column) to B);
    let s = sum(row) to B;
    print(m / s to B, s - row, s * 2.0);
    let split = m to S(1);
    print(split + row to B, split + (row to S(0)) to B, split * (column to B) to B);
}
