// A function whose signature says everything is checked even if nothing calls it; generic ones at their calls.
place g = ranks(0..4) as (dp = 2, tp = 2);
param w : f32[8, 8] @ g : (tp=S(0)) = ones();

fn layouts(x: f32[8, 8] @ g : (dp=S(0))) -> f32[8, 8] @ g : (dp=S(0)) {
    return relu(x @ w to (dp=S(0)));
}
fn shapes(x: f32[8, 8] @ g) { return x @ ones([7]); }      //~ PML0201
fn fine(x: f32[8] @ g, scale = 2.0) -> f32 @ g { print("fine"); return sum(x * scale); }
fn result(i: i32[4] @ g) -> f32[4] @ g { return i; }       //~ PML0202
fn unplaced(x: f32[3], n: i64[2]) { return sum(x) + sum(n as f32); }
fn generic[n](x: f32[n] @ g) { return x @ ones([7]); }
fn host(x: f32[8] @ g, n: int) { return x[n..8]; }
fn stateful(x: f32[8] @ g) { state v : f32[8] @ g = zeros(); v = v + x; return v; }
fn updates() { w = w * 2.0; }
fn helper(x: f32[8] @ g : (dp=S(0))) { return x to B; }
fn calls(x: f32[8] @ g : (dp=S(0))) { return helper(x) + 1.0; }
fn missing(x: f32[8] @ g) { let y = x + 1.0; }

main { print(1); }
