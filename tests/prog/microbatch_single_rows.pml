// Rows that are split before they are cut into micro-batches of one row a rank, on one rank and on several, over all of a placement and over one
// of its axes, in a loop and in stages; a reshape of rows to one thing of rows keeps its split.
//% ranks 1 2 3
const N : int = 1;
place all = ranks(0..N);
place mesh = ranks(0..N) as (dp = 1, tp = N);
param w : f64[2] @ all = [0.5, -0.25] as f64;
param v : f64[2, 6] @ mesh : (tp=S(1)) = reshape(iota(12) as f64, [2, 6]) * 0.1;
fn objective[n](x: f64[n, 2] @ all : S(0)) { return mean(tanh(x @ w)) to B; }
fn meshed[n](x: f64[n, 2] @ mesh : (dp=S(0))) { return mean(tanh(x @ v)) to B; }
// Two stages: micro-batches are not turns of a loop of their own.
place next = ranks(0..N) as (dp = 1, tp = N);
param u : f64[6] @ next : (tp=S(0)) = ones();
fn staged[n](x: f64[n, 2] @ mesh : (dp=S(0))) { return mean(tanh(tanh(x @ v) to @next : (dp=S(0), tp=S(1))) * u) to B; }

main {
    let rows = reshape(iota(12) as f64, [6, 2]) * 0.1;
    let x = rows to @all : S(0);
    print(value_and_grad(objective)(x));
    print(microbatch(6 / N) { value_and_grad(objective)(x) });
    let y = rows to @mesh : (dp=S(0));
    let (l, g) = value_and_grad(meshed)(y);
    let (m, h) = microbatch(6) { value_and_grad(meshed)(y) };
    print(l, g.v to B);
    print(m, h.v to B);
    let (q, k) = microbatch(6) { value_and_grad(staged)(y) };
    print(q, k.v to B, k.u to B);
    print(sum(reshape(x, [1, 6, 2]), dim = 1) to B);
}
