const A : int = 1;
const A : int = 2;            //~ PML0102@7
fn A() { }                    //~ PML0102@4
fn f(x, x) { }                //~ PML0102@9
fn g[n, n](y) { }             //~ PML0102@9
fn h(n) {
    let a = 1;
    let a = 2;                //~ PML0102@9
    { let a = 3; print(a); }
    let (b, b) = (1, 2);      //~ PML0102@13
    let n = 4;
}
struct S { u : f32[2], u : f32[3] }   //~ PML0102@24
struct f32 { v : i32[2] }     //~ PML0102@8
