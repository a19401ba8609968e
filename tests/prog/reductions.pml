// Reductions of matrices split along either dimension. Values: expected.py (numpy).
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);

fn all_of(m: f32[3, 4]) {
    print("sum", sum(m) to B, sum(m, dim = 0) to B, sum(m, dim = 1) to B, sum(m, dim = -1) to B, sum_along(m) to B, sum_matrix(m) to B);
    print("prod", prod(m) to B, prod(m, dim = 0) to B, prod(m, dim = 1) to B);
    print("mean", mean(m) to B, mean(m, dim = 0) to B, mean(m, dim = 1) to B);
    print("max", max(m) to B, max(m, dim = 0) to B, max(m, dim = 1) to B);
    print("min", min(m) to B, min(m, dim = 0) to B, min(m, dim = 1) to B);
    let whole = m to B;
    print("variance", variance(whole) to B, variance(whole, dim = 0) to B);
    print("argmax", argmax(whole), argmin(whole), argmax(whole, dim = 0), argmin(whole, dim = 0));
}

main {
    let m = reshape((iota(12) * 7 % 12) as f32, [3, 4]) - 3.5;
    all_of(m to @p : B);
    all_of(m to @p : S(0));
    all_of(m to @p : S(1));
    let c = reshape(iota(24) as f32, [2, 3, 4]) to @p : S(1);
    print("cube", sum(c) to B, sum(c, dim = 1) to B, max(c, dim = 0) to B, mean(c) to B, min(c) to B, prod(c, dim = -2) to B);
    print("ties", argmax(zeros([4]) to @p), argmin(ones([2, 3]) to @p), argmax(m to @p : S(0)) to B, argmin(m to @p : S(1), dim = 0) to B);
    print("ints", sum(iota(10) to @p : S(0)) to B, max(iota(10) to @p : S(0)) to B, prod(iota(5) + 1 to @p : S(0)) to B);
    let s = full(3.0, []) to @p;
    print("scalar", sum(s), prod(s), max(s), mean(s));
}
