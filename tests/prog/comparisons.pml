// Comparisons, logic, and reductions of bools. Values: expected.py (numpy).
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);

main {
    let a = iota(6) % 4 as i32 to @p : S(0);
    let b = floor_div(iota(6), 2) to @p : S(0);
    print(a == b to B, a != b to B, a < b to B, a <= b to B, a > b to B, a >= b to B);
    print(equal(a, b) to B, not_equal(a, b) to B, less(a, b) to B, less_equal(a, b) to B, greater(a, b) to B, greater_equal(a, b) to B);
    let c = a > 1;
    let d = b < 2;
    print(c && d to B, c || d to B, !c to B, logical_and(c, d) to B, logical_or(c, d) to B, logical_not(d) to B);
    print(c == d to B, c != d to B, where(c, a, b) to B, where(c && d, 1.5, 2.5) to B);
    print(any(c) to B, all(c) to B, all(c || d) to B, any(c && !c) to B, sum(c) to B);
    let m = reshape(iota(12), [3, 4]) to @p : S(0);
    print(any(m > 6, dim = 0) to B, any(m > 6, dim = 1) to B, all(m > 6, dim = 0) to B, all(m > 6, dim = 1) to B);
    let n = m to S(1);
    print(any(n % 5 == 0, dim = 0) to B, any(n % 5 == 0, dim = 1) to B, all(n < 9, dim = 0) to B, all(n < 9, dim = 1) to B);
    print(sum(n > 4) to B, sum(n > 4, dim = 0) to B, sum(n > 4, dim = 1) to B, mean((n > 4) as f32) to B);
    let x = m as f64 / 3.0;
    print(x > 1.0 to B, 1.0 <= x to B, (x == x) to B);
}
