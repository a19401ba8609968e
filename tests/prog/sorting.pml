// Order: sort, argsort, top_k, ranking, cumsum and reads along a dimension, in several layouts; ties, NaN, gradients. The same counts
// written out (`counted`) are compared: those are computed as they stand where the operands differ.
//% layouts 0 (1) 2 3
const LAYOUT : int = 0;
const DP : int = [1, 2, 1, 2][LAYOUT];
const TP : int = [1, 1, 3, 2][LAYOUT];
place g = ranks(0..DP * TP) as (dp = DP, tp = TP);
param w : f32[5, 7] @ g : (dp=S(0)) = uniform();

op counted(a[n, i], b[n, j]) -> [n, i] = sum[j] (b < a || (b == a && j < i)) as i32;

fn best(x) { let (v, i) = top_k(x, 3); return sum(v * v) to B; }
fn weighed() { return sum(sort(w) * (reshape(iota(35), [5, 7]) as f32 to @g : (dp=S(0)))) to B; }
fn summed(x) { return sum(square(cumsum(x, dim = 0) to B)) to B; }

main {
    let m = reshape((iota(35) * 11) % 13, [5, 7]);
    let x = m as f32 to @g : (dp=S(0));
    print("sort", sort(x) to B, argsort(x) to B);
    print("down", sort(x, descending = true) to B, argsort(x, descending = true) to B);
    print("columns", sort(x to (dp=S(1)), dim = 0) to B, ranking(m to @g : (tp=S(1)), dim = 0) to B);
    assert_equal(ranking(x), counted(x, x to B));
    assert_equal(ranking(x to B), counted(x to B, x to (tp=S(0)) to B));
    let (v, i) = top_k(x, 3);
    print("top", v to B, i to B);
    assert_equal(take_along(x, i), v);
    assert_equal(take_along(x, argsort(x)), sort(x));
    print("take", take(x, (iota(3) * 2) to @g) to B, take(x to (dp=S(1)), (iota(2) + 1) to @g, dim = 0) to B);
    print("add", add_along_at(i, v, n = 7) to B);
    let holes = where(x == 5.0, x / 0.0 - x / 0.0, x);
    print("nan", argsort(holes)[0..2] to B, argsort(holes, descending = true)[0..2] to B);
    print("ints", sort(m to @g)[4], sort(m % 2 == 0 to @g)[1]);
    print("cumsum", cumsum(x) to B, cumsum(x to (dp=S(0), tp=S(1)), dim = 0) to B);
    print("best", best(x), grad(best)(x) to B);
    print("weighed", grad(weighed)().w to B);
    print("summed", grad(summed)(x) to B);
}
