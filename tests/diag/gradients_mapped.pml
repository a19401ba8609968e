place p = ranks(0..2);
place q = ranks(2..3);
param w : f32[4] @ p : S(0) = ones();
param v : f32[3] @ q = ones();
param unused : f32[2] @ p = ones();
fn f(x: f32[4]) { return (sum(w * x) to B) + (sum(v) to @p); }
main {
    let g = grad(f)(iota(4) as f32 to @p : S(0));
    print((each (k, d) in g => sum(d)).w);  //~ PML0501
    print((each (k, d) in g => 1.0).w);  //~ PML0501
    print((each (k, d) in g => (d to @p)).v);  //~ PML0212
    print((each (k, d) in w => d).w);  //~ PML0501
    print(g[unused] to B);  //~ PML0216
    print(g["w"]);  //~ PML0204
    let h = each (k, d) in g => d - g[k];
    print(h.w to B, h.v);
}
