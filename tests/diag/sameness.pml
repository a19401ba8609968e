// What can be equal: functions and gradients never are, so nobody is told that they are not.
struct P { x : float }
struct R { n : f32 }
param w : f32[2] = ones();
fn f() { return sum(w); }
main {
    let a = P(1.0);
    let g = grad(f)();
    print(g == g);                      //~ PML0204
    print(f == f);                      //~ PML0204
    print(grad(f) != grad(f));          //~ PML0204
    print(a == R(1.0));                 //~ PML0204
    print(R(1.0) == R(1.0));            //~ PML0204
    print((1, w) == (1, w), a == 1);    //~ PML0204@11 PML0204@29
    print(a == P(2.0), a == none);
}
