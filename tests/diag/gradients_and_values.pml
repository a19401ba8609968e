// value_and_grad gives two, grad one.
import std.optim;
param w : f32[3] = ones();
fn f() { return sum(w); }
main {
    let (l, g) = grad(f)();      //~ PML0217@9
    let h = value_and_grad(f)();
    optim.sgd(h, lr = 0.1);      //~ PML0209@15
}
