import std.crf;
import std.optim;
param w : f32[3] = zeros();
fn f(x, y = 1) { return x; }
fn loss() { return sum(w); }
main {
    print(f(1), f(1, 2), f(1, y = 2));
    print(f());                               //~ PML0203@11
    print(f(1, 2, 3));                        //~ PML0203@19
    print(f(1, z = 3));                       //~ PML0203
    print(f(1, x = 3));                       //~ PML0203
    let g = grad(loss)();
    optim.sgd(g, rate = 0.1);                 //~ PML0203
    optim.sgd(g, lr = 0.1);
    print(relu());                            //~ PML0203
    print(shape(), 1);                        //~ PML0203
    print(1, at = 2);                         //~ PML0203
    print(crf.log_partition(ones([2, 0, 3]), ones([3, 3])));    //~ PML0203
}
