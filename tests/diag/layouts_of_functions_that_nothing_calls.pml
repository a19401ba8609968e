// Layouts, too: see functions_that_nothing_calls.pml.
place g = ranks(0..4) as (dp = 2, tp = 2);
param w : f32[8, 8] @ g : (tp=S(0)) = ones();

fn layouts(x: f32[8, 8] @ g : (dp=S(0))) -> f32[8, 8] @ g : (dp=S(0)) {
    return relu(x @ w);                                    //~ PML0307@17
}
fn fine(x: f32[8] @ g, scale = 2.0) -> f32 @ g { print("fine"); return sum(x * scale); }
fn unplaced(x: f32[3], n: i64[2]) { return sum(x) + sum(n as f32); }
fn generic[n](x: f32[n] @ g) { return x @ ones([7]); }
fn host(x: f32[8] @ g, n: int) { return x[n..8]; }
fn stateful(x: f32[8] @ g) { state v : f32[8] @ g = zeros(); v = v + x; return v; }
fn updates() { w = w * 2.0; }
fn updates_wrongly() { w = w to (dp=S(0)); }               //~ PML0303@28
fn helper(x: f32[8] @ g : (dp=S(0))) { return x to B; }
fn calls(x: f32[8] @ g : (dp=S(0))) { return helper(x) + 1.0; }
fn missing(x: f32[8] @ g) { let y = x + 1.0; }

main { print(1); }
