// Rows that are all of them, but not those of each rank, a multiple of the micro-batches.
place p = ranks(0..2);
place q = ranks(0..4) as (a = 2, b = 2);
param w : f32[3] @ p = ones();
fn f[n](x: f32[n, 3] @ p : S(0)) -> f32 @ p : B { return mean(x @ w) to B; }
main {
    let x = normal(rng(0), [6, 3]) to @p : S(0);
    print(microbatch(3) { f(x) });
    print(microbatch(2) { f(x) });                            //~ PML0311@29
    let y = x to B;
    print(microbatch(2) { f(y to S(0)) });
    print(microbatch(6) { f(x) });                            // each rank has three of them whole //~ PML0311@29
    let z = normal(rng(0), [8, 3]) to @q : (a=S(0), b=S(0));
    print(microbatch(2) { mean(z) to B });
    print(microbatch(4) { mean(z) to B });                    //~ PML0311@32
}
