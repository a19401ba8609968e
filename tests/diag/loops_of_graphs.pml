place p = ranks(0..1); place q = ranks(1..2);
param w : f32[4] @ p = ones(); param u : f32[4] @ q = ones(); param ws : [2] f32[4] @ p = ones();
config n : int = 3;
fn shapes() { var h = w; for i in 0..n { h = h[0..2]; } return sum(h); }   //~ PML0505@42
fn element() { var h = w; while sum(h as f32) < 3.0 { h = h as f64; } return sum(h); }   //~ PML0505@55
fn placed() { var h = w; for i in 0..n { h = h to @q; } return sum(h); }   //~ PML0505@42
fn number() { var k = true; for i in 0..n { k = 3; } return sum(w); }   //~ PML0505@45
fn lists() { var l = [w]; for i in 0..n { l = l + [w]; } return sum(l[0]); }   //~ PML0505@43
fn text() { var t = "a"; if n > 3 { t = "b"; } return sum(w); }   //~ PML0505@37
fn arm() { var h = w; if sum(w) > 1.0 { h = w * 2.0; } else { h = concat([w, w]); } return sum(h); }   //~ PML0505@63
fn result() { if sum(w) > 1.0 { return sum(w); } return w; }   //~ PML0503@50
fn prints() { var h = w; for i in 0..n { while sum(h) < 3.0 { print(sum(h)); h = h * w; } } return sum(h); }
fn logs() { var h = w; if sum(w) > 1.0 { for i in 0..n { log(i = n); h = h * w; } } return sum(h); }
fn asserts() { var h = w; while sum(h) < 9.0 { for i in 0..n { assert(i < 3); } h = h * w; } return sum(h); }
fn which() { var h = w; let l = [w, concat([w, w])]; for i in 0..n { h = h * l[i + n]; } return sum(h); }   //~ PML0205@80
fn size() { var h = w; for i in 0..n { h = h + sum(ones([i])); } return sum(h); }   //~ PML0205@57
fn ever() { var h = w; while true { h = h * w; } return sum(h); }   //~ PML0506@30
fn bools() { var h = w; if w > 1.0 { h = h * 2.0; } return sum(h); }   //~ PML0501@28
fn breaks() { var h = w; for x in [w, concat([w, w])] { if sum(x) > 2.0 { break; } h = h * sum(x); } return sum(h); }   //~ PML0411@35
fn sometimes() { var h = w; for i in 0..n { every 2 { h = h * w; } } return sum(h); }
fn to_host() { var s = ""; for i in 0..n { s = "turn " + i; } return sum(w); }   //~ PML0505@44
main {
    let g0 = grad(shapes)();
    let g1 = grad(element)();
    let g2 = grad(placed)();
    let g3 = grad(number)();
    let g4 = grad(lists)();
    let g5 = grad(text)();
    let g6 = grad(arm)();
    let g7 = grad(result)();
    let g8 = grad(prints)();
    let g9 = grad(logs)();
    let g10 = grad(asserts)();
    let g11 = grad(which)();
    let g12 = grad(size)();
    let g13 = grad(ever)();
    let g14 = grad(bools)();
    let g15 = grad(breaks)();
    let g16 = grad(sometimes)();
    let g17 = grad(to_host)();
}
