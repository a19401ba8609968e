param w : f32[3] = ones();
main {
    let x = ones([4, 3]);
    print(microbatch(2) { x @ w });                           //~ PML0521
    print(microbatch(2) { x @ w + zeros([2]) });              //~ PML0521
    print(microbatch(2) { sum(x > 0.0) });                    //~ PML0521
    print(microbatch(2) { (mean(x @ w), 3) });                //~ PML0521
    print(microbatch(2) { grad(of_both, wrt = "x")(w, x) });  //~ PML0521
    print(microbatch(2) { grad(of_both, wrt = "x")([w, w] as f32, x) });  //~ PML0521
    print(microbatch(2) { vmap(grad(of_row))(x) });           //~ PML0521
    print(microbatch(2) { vmap(grad(of_both, wrt = 0), over = "x")(w, reshape(x, [2, 1, 3])) }); //~ PML0521
    let (l, g) = microbatch(2) { value_and_grad(fn_mean)(x) };
    print(l, g.w, microbatch(2) { grad(of_both, wrt = "w")(w, x) });
}
fn fn_mean[n](x: f32[n, 3]) { return mean(x @ w); }
fn of_both(w, x) { return mean(x * w); }
fn of_row(x: f32[3]) { return sum(x * w); }
