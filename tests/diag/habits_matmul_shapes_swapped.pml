place p = ranks(0..2);
param w : f32[10, 784] @ p = zeros();
fn f[n](x: f32[n, 784] @ p) { return x @ w; }  //~ PML0201@42
main { print(f(zeros([2, 784]) to @p)); }
