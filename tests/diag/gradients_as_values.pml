place p = ranks(0..1);
param w : f32[4] @ p = ones();
param u : f32[4] @ p = ones();
state s : f32[4] @ p = ones();
struct Pair[p: place] { a: f32[4] @ p = ones(), b: f32[4] @ p = ones() }
state pair : Pair[p];
config n : int = 4;
fn f(x: f32[4] @ p) -> f32 @ p { return sum(w * x); }
fn h(x: f32[4] @ p) -> f32 @ p { return sum(w * u * x); }
main {
    let x = ones([4]) to @p;
    let (g, k) = (grad(f)(x), grad(h)(x));
    let a = g + k;                          //~ PML0216
    let b = g * k;                          //~ PML0204
    let c = 1.0 / g;                        //~ PML0204
    let d = g * [1.0, 2.0];                 //~ PML0204
    let e = x * g;
    let o = ones([2, 4]) * g;               //~ PML0501
    var m = g;
    var t = [w, u];
    var r = (w, 1);
    var q = p;
    for i in 0..n {
        m = k;                              //~ PML0505
        t = [w];                            //~ PML0505
        r = (w, 1.5);                       //~ PML0505
        q = ranks(0..1);                    //~ PML0505
    }
    pair = [w, u];                          //~ PML0505
    pair = w;                               //~ PML0505
}
