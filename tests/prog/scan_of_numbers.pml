// The gradient of a sum of running totals is a running total of numbers, which no rank has a part of: there is nothing to scan in shares.
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);
param w : f64[9] @ p : S(0) = (iota(9) * 2) as f64;
fn f(x) { return sum(cumsum(x) to B) to B; }
fn g() { return sum(cumsum(w) to S(0)) + sum(cumprod(w * 0.1 + 1.0) to S(0)) to B; }

main {
    let x = (iota(9) as f64) to @p : S(0);
    print(grad(f, wrt = "x")(x) to B);
    let (l, d) = value_and_grad(g)();
    print(l, sum(d.w) to B);
}
