param w : f32[3] = ones();
main {
    let x = ones([4, 3]);
    print(microbatch(2) { x @ w });                           //~ PML0521
    print(microbatch(2) { sum(x > 0.0) });                    //~ PML0521
    print(microbatch(2) { (mean(x @ w), 3) });                //~ PML0521
    let (l, g) = microbatch(2) { value_and_grad(fn_mean)(x) };
    print(l, g.w);
}
fn fn_mean[n](x: f32[n, 3]) { return mean(x @ w); }
