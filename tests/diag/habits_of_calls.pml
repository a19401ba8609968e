import std.loss;
struct Net { w : f32[3] = ones() }
param net : Net;
fn forward(x) { return net.w * x; }
fn f(x) { return sum(x); }
main {
    let n = Net();                                          //~ PML0203@13
    print(net.forward(ones([3])));                          //~ PML0216@15
    print(grad(f(ones([3]))));                              //~ PML0204@16
    print(ones([3]).shape(0));                              //~ PML0208@11
    print(loss.cross_entropy(ones([3, 4]), ones([3])));     //~ PML0202@44
    print(uniform([3], key = rng(1)));                      //~ PML0203
}
