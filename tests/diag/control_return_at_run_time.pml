config n : int = 3;
param w : f32[4] = ones();
fn f(a, b) { if n > 3 { return a; } return b; }
fn g(a, b) { return if n > 3 => a else b; }
fn h(x: f32[4]) { if n > 3 { return x; } return sum(x); }     //~ PML0503@49
fn some(x: f32[4]) { if n > 3 { return x; } }     //~ PML0209@4
fn turns(x: f32[4]) { for i in 0..3 { if x[i] > 1.0 { return x; } } }     //~ PML0209@4
fn all(x: f32[4]) { while true { if sum(x) < 9.0 { return x; } } }
fn both(x: f32[4]) { if n > 3 { return x; } else { return x + 1.0; } }
fn never(x: f32[4]) { if n > 3 { return; } print(x); }
fn sum_or(x: f32[4]) { if n > 3 { return sum(x); } var y = x; }     //~ PML0209@4
fn mixed(x: f32[4]) { if n > 3 { return x; } return; }     //~ PML0209@4
fn sizes(x: f32[4]) { if n > 3 { return [x, x]; } return [x]; }     //~ PML0503@58
fn one_message(x: f32[4]) -> f32 { if n > 3 { return x; } return sum(x); }     //~ PML0503@66
main {
    print(mixed(w), one_message(w));
    let l = sizes(w);
    print(f(1, 2), g(1, 2), all(w), both(w));
    print(h(w));
    print(some(w));
    print(turns(w));
    never(w);
    print(grad(sum_or)(w));
}
