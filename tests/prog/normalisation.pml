// Softmax and its relatives, layer norms: over whole and over split dimensions. Values: expected.py (torch).
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);

main {
    let x = reshape((iota(20) * 7 % 11) as f32 * 0.5, [4, 5]) - 2.0 to @p : B;
    let rows = x to S(0);
    print("softmax", softmax(x), softmax(rows) to B, softmax(x, dim = 0));
    print("log_softmax", log_softmax(x), log_softmax(rows) to B, log_softmax(x to S(1), dim = 0) to B);
    print("logsumexp", logsumexp(x), logsumexp(rows) to B, logsumexp(x, dim = 0));
    print("far", softmax(x * 200.0), logsumexp(x * 1000.0));
    print("variance", variance(x), variance(x, dim = 0), variance(rows) to B);
    let scale = iota(5) as f32 * 0.1 + 1.0 to @p;
    let shift = iota(5) as f32 * 0.01 to @p;
    print("layernorm", layernorm(x, scale, shift), layernorm(rows, scale, shift) to B);
    print("rmsnorm", rmsnorm(x, scale), rmsnorm(rows, scale) to B);
    // A split class dimension: the reductions are finished where written.
    let columns = x to S(1);
    let m = max_along(columns) to B;
    let e = exp(sub_along(columns, m));
    print("split", div_along(e, sum_along(e) to B) to B);
}
