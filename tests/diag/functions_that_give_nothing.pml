// what ends without `return` can be called, but not used
fn f(x: f32[3]) { let y = sum(x); }
fn g(x: f32[3], s: int) { if s > 1 { return sum(x); } }
fn h(x: f32[3]) { return; }
fn calls(x: f32[3]) { f(x); f(x); }
fn k(x: f32[3]) { return none; }
main {
    let x = ones([3]);
    f(x);
    calls(x);
    g(x, 1);
    print(f(x), g(x, 2), g(x, 1), h(x), k(x));          //~ PML0209@11 PML0209@26 PML0209@35
    let y = 1.0 + f(x);                                 //~ PML0209@19
    print(y, k(x) == none);
}
