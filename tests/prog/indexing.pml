// Elements, rows and slices of tensors, split or not. Values: expected.py (numpy).
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);

fn read(m: f32[2, 3, 4]) {
    print(m[0, 1] to B, m[1, 2, 3] to B, m[-1, -1, -1] to B, m[.., 2] to B, m[0, .., 1] to B, m[1] to B);
    print(m[0, 0..2, 1..3] to B, m[1, .., 2..4] to B, m[0, 1, 1..] to B, m[0, 1, ..2] to B, m[.., 1..2] to B, m[0..1, 2, -3..-1] to B);
}

main {
    let m = reshape(iota(24) as f32, [2, 3, 4]);
    read(m to @p : B);
    read(m to @p : S(0));
    read(m to @p : S(1));
    read(m to @p : S(2));
    let rows = iota(10) as f32 to @p : S(0);
    print(rows[2..7] to B, rows[3] to B, rows[-2] to B, rows[5..] to B, rows[..3] to B, rows[2..2] to B, rows[..] to B);
    let table = reshape(iota(12) as f32, [4, 3]) to @p : S(0);
    let at = (iota(5) * 3 % 4) to @p : B;
    print(table[at] to B, table[at, 1] to B, table[(iota(2) + 1) to @p, 0..2] to B);
    let i = 2;
    print(table[i] to B, table[i - 1, i] to B);
    var total = 0.0;
    for k in 0..4 { total += table[k, 0] to B; }
    print(total);
}
