// pmlc: -Werror
import std.optim;
place all = ranks(0..2);
param w : f32[4] @ all = ones();
state seen : f32[4] @ all = zeros();

fn told(x) { print(x); return x; }
fn twice(x) { return x * 2.0; }
fn put(x) { seen = x; return x; }
fn sure(x) { assert((sum(x) to B) > 0.0); return x; }
fn often(x) { for i in 0..3 { put(x); } return x; }
fn kept(x) { var y = x; for i in 0..3 { y = twice(y); } twice(y); return y; }   //~ PML0513@57
fn total(x) { return sum(w * x); }
fn nothing(x) { let y = twice(x); }

main {
    told(w);
    put(w);
    sure(w);
    often(w);
    nothing(w);
    print(kept(w));
    twice(w);                           //~ PML0513@5
    for i in 0..3 { sum(w); }           //~ PML0513@21
    let g = grad(total)(w);
    optim.clip_norm(g, 1.0);            //~ PML0513@5
    vmap(twice)(w);                     //~ PML0513@5
    optim.sgd(g, lr = 0.1);
    print(remat { twice(w) });
}
