import std.optim;
param w : f32[3] = zeros();
fn f() { return sum(w); }
fn count() { state c : f32 = zeros(); c = c + 1.0; return c; }
fn twice() { state c : f32 = zeros(); c = c + 1.0; return c; }
fn bad(x) { state c : like x = zeros(); return c; }     //~ PML0507
fn late(x) { state c : f32 = x; return c; }             //~ PML0507
config k : f32 = 1.0;
main {
    print(count());
    print(twice());
    print(twice());                           //~ PML0507
    print(bad(sum(ones([3]))));
    print(late(sum(ones([3]))));
    let g = grad(f)();
    optim.sgd(g, lr = 0.1, momentum = 0.5);
    optim.sgd(g, lr = 0.2, momentum = 0.5);
}
