// What print cannot do inside of a function that is differentiated: as elsewhere.
place p = ranks(0..2);
param w : f32[4] @ p = ones();
fn branch(x: f32[6, 4] @ p : S(0)) -> f32 @ p : B { let s = sum(x @ w) to B; if s > 0.0 { print(s); } return s; }
fn sometimes(x: f32[6, 4] @ p : S(0)) -> f32 @ p : B { every 2 { print(max(x) to B); } return sum(x @ w) to B; }           
fn named(x: f32[6, 4] @ p : S(0)) -> f32 @ p : B { print(x = x); return sum(x @ w) to B; }                        //~ PML0203
fn function(x: f32[6, 4] @ p : S(0)) -> f32 @ p : B { print(branch); return sum(x @ w) to B; }                    //~ PML0506
fn unended(x: f32[6, 4] @ p : S(0)) -> f32 @ p : B { print(x, end = 1); return sum(x @ w) to B; }                 //~ PML0209
fn silent(x: f32[6, 4] @ p : S(0)) -> f32 @ p : B { print(); print(shape(x), p); return sum(x @ w) to B; }
main {
    let x = ones([6, 4]) to @p : S(0);
    print(grad(branch)(x).w, grad(sometimes)(x).w, grad(named)(x).w);
    print(grad(function)(x).w, grad(unended)(x).w, grad(silent)(x).w);
}
