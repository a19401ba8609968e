const N : int = 3;
param w : f32[2] = 0.0;
state m : f32[2] = 0.0;
fn f(x) {
    x = 3;                   //~ PML0112@5
    let y = 1;
    y += 1;                  //~ PML0112@5
    var z = 1;
    z += 1;
    z[0] = 3;
    y[0] = 3;                //~ PML0112@5
    for i in 0..3 { i = 2; } //~ PML0112@21
    N = 4;                   //~ PML0112@5
    w = x;
    m = x;
    state v : like w = 0.0;
    v = 3 * v;
    each (p, d) in x { p -= d; }
    return z;
}
