// in micro-batches the host cannot ask whether to leave; what is differentiated can
place p = ranks(0..1);
param w : f32[4] @ p = ones();
config n : int = 3;
fn g() { var s = w; for i in 0..3 { if sum(s) > 1.0 { break; } s = s * w; } return sum(s); }    //~ PML0522@40
fn k() { var s = w; for i in 0..3 { if n > 2 { continue; } s = s * w; } return sum(s); }
fn known() { var s = w; for i in 0..3 { if i > 1 { break; } s = s * w; } return sum(s); }
main {
    print(grad(g)().w, grad(k)().w, grad(known)().w, g(), k(), known());
    print(microbatch(2) { g() });
    while true { }                                      //~ PML0506@11
    while true { if n > 2 { break; } }
    while true { for i in 0..n { break; } }             //~ PML0506@11
}
