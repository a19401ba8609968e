// What is printed inside of a function that is differentiated, or in a micro-batch, is finished and whole, as everywhere.
place p = ranks(0..2);
param w : f32[4] @ p = ones();
fn part(x: f32[6, 4] @ p : S(0)) -> f32 @ p : B { let s = sum(x @ w); print("sum", s); return s to B; }  //~ PML0303
main {
    let x = ones([6, 4]) to @p : S(0);
    print(grad(part)(x).w);
    print(microbatch(3) { let s = sum(x @ w); print(s); s to B });                                       //~ PML0303
}
