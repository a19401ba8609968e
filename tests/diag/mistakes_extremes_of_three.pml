place p = ranks(0..1);
param w : f32[3] @ p = ones();

fn f(x: f32[3]) { return max(w[0], w[1], x[2]); }     //~ PML0203@26
fn g(x: f32[3]) { return min(x, 2.0, dim = 0); }      //~ PML0203@26
fn step(x: f32[3]) { print(x); }
fn line(x: f32[3]) { print(x); }

main {
    print(f(w), g(w), max(w), max(w, 0.5), max(w, dim = 0));
    let d = grad(f, wrt = 1)(w);                      //~ PML0413
    let y = vmap(step)(ones([2, 3]));                 //~ PML0209
    each (a, b) in pairs(w, w) { print(a, b); }       //~ PML0501
}
