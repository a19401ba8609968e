// stopping() is asked by main, not by what is differentiated.
place p = ranks(0..2);
param w : f32[4] @ p = ones();
fn f() { if stopping() { } return sum(w); }   //~ PML0411
main {
    let g = grad(f)();
    let a = stopping(1);                      //~ PML0203
    if stopping() { print("told to end"); }
}
