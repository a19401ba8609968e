// Mistakes of the first hour that are told with what to write instead.
import std.nn;
import std.optim;
place all = 4; //~ PML0204@13
place p = ranks(0..2);
param w : f32[3] = ones();
fn f(x) { return sum(w * x); }
main {
    let x = ones([3, 4]);
    print(argmax(x, 1)); //~ PML0203@21
    print(reshape(x, 4, 3)); //~ PML0209@22
    print(nn.dropout(x, 0.5)); //~ PML0209@25
    print("loss %f" % 0.3); //~ PML0204@11
    let g = grad(f);
    optim.sgd(g, lr = 0.1); //~ PML0209@15
    let v = 2.0 * w - 0.1 * g(ones([3])); //~ PML0204@13
}
