// pmlc: -Werror
place all = ranks(0..2);
param w : f32[4] @ all = ones();

fn told(x) { print(x); return x; }
fn f(x: f32[4]) {
    var a = x;
    a[0] == 2.0;                        //~ PML0513@5
    x * 2.0 + 1.0;                      //~ PML0513@5
    told(x);
    told(x) + 1.0;
    a to S(0);                          //~ PML0513@5
    let y = remat { let b = a * 2.0; b + 1.0 };
    (a, y);                             //~ PML0513@5
    return y;
}

main {
    var n = 0;
    for i in 0..3 { n == i; }           //~ PML0513@21
    if n > 2 { n; }                     //~ PML0513@16
    f(w);
    print(mixed bf16 { w @ w });
}
