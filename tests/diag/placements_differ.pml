place left  = ranks(0..2);
place right = ranks(2..4);
param w : f32[4] @ left  = zeros();
param v : f32[4] @ right = zeros();
fn f[n](x: f32[n] @ left) { return sum(x); }
main {
    print(sum(w + v));                        //~ PML0212@15
    print(sum(w + (v to @left)));
    print(f(v));                              //~ PML0212@13
    w = v;                                    //~ PML0212
    w = v to @left;
    let q[i] = w[i] * v[i];                   //~ PML0212
    print(sum(w[iota(2) to @right]));         //~ PML0212
}
