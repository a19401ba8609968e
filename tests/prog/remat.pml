// Values computed again for gradients are the same bits as kept ones: blocks in loops, in calls, within each other, with draws, with
// transfers inside, for gradients of gradients. Mode 0 keeps all, the others compute again.
//% ranks 1 3 (2 4)
//% machine ethernet --reproducible
//% rtol 1e-4
import std.nn;
const N : int = 1;
const D : int = 12;
place p = ranks(0..N) as (dp = 1, tp = N);
struct Block[q: place] {
    up   : f32[D, 24] @ q : (tp=S(1)) = normal(std = 0.3),
    down : f32[24, D] @ q : (tp=S(0)) = normal(std = 0.3),
    bias : f32[D]     @ q : (tp=S(0)) = normal(std = 0.3)
}
param blocks : [3] Block[p];

fn half[n](x: f32[n, D], b, key: rngkey) {
    let scale = exp(0.1 * iota(24) as f32);               // of no value: a table, kept
    let noise = uniform(rng(5), [24]);                     // of no key but a constant
    return nn.dropout(tanh(x @ b.up * scale + noise), key, 0.2);
}
fn layer[n](x: f32[n, D], b, key: rngkey, mode: int) {
    let whole = b.bias to B;                               // gathered in the block, and again for gradients
    if mode == 2 {
        let u = remat { half(x, b, key) };
        return x + sin(u @ b.down to B) + whole;
    }
    return x + sin(half(x, b, key) @ b.down to B) + whole;
}
fn deep[n](x: f32[n, D], mode: int, step: int) -> f32 @ p : B {
    var y = x;
    for b in 0..3 {
        let key = fold(fold(rng(1), b), step);
        if mode == 0 { y = layer(y, blocks[b], key, mode); }
        else { y = remat { let z = layer(y, blocks[b], key, mode); z * 1.0 + 0.0 }; }
    }
    return mean(y * y) to B;
}
/// A variable of outside assigned in a block, and two values of one block used outside.
fn leaving[n](x: f32[n, D], mode: int) -> f32 @ p : B {
    var kept = x;
    var y = x;
    if mode == 0 { kept = tanh(x); y = exp(-kept * kept); }
    else { y = remat { kept = tanh(x); exp(-kept * kept) }; }
    return sum(kept * y) to B;
}
/// The whole function, its loop and an inner block computed again.
fn nested[n](x: f32[n, D], mode: int) -> f32 @ p : B {
    if mode == 0 { return sum(cube(cube(x * 0.5, 0), 0) * x) to B; }
    return remat { let y = remat { cube(x * 0.5, mode) }; sum(remat { cube(y, mode) } * x) } to B;
}
fn cube(x, mode) { return remat(mode > 0) { let y = x * sin(x); y * x }; }

fn squared_slope[n](x: f32[n, D], mode: int) -> f32 @ p : B {
    let g = grad(fn_of)(x, mode);
    return sum(g * g) to B;
}
fn fn_of[n](x: f32[n, D], mode: int) -> f32 @ p : B {
    if mode == 0 { return sum(sin(x * x) * tanh(x)) to B; }
    return sum(remat { let a = x * x; sin(a) * tanh(x) }) to B;
}
/// A gradient taken within a block.
fn slope_inside[n](x: f32[n, D], mode: int) -> f32 @ p : B {
    if mode == 0 { let g = grad(fn_of)(x, 0); return sum(g * g * x) to B; }
    return remat { let g = grad(fn_of)(x, mode); sum(g * g * x) } to B;
}
fn again[n](x: f32[n, D]) { return fn_of(x, 1); }
fn same(a, b) { assert(max(abs((a to B) - (b to B))) == 0.0); }
fn near(a, b) { assert(max(abs((a to B) - (b to B))) < 1e-4); }

main {
    let x = normal(rng(9), [6, D], std = 1.0) to @p;
    for step in 0..3 {
        let (l, g) = value_and_grad(deep)(x, 0, step);
        let (l1, g1) = value_and_grad(deep)(x, 1, step);
        let (l2, g2) = value_and_grad(deep)(x, 2, step);
        assert(l == l1 && l == l2);
        each (w, d) in g { same(d, g1[w]); same(d, g2[w]); }
        each (w, d) in g { w = w - 0.1 * d; }
        print(l);
    }
    print(grad(leaving)(x, 0)[0], grad(nested)(x, 0)[0], grad(squared_slope)(x, 0)[0], grad(slope_inside)(x, 0)[0]);
    same(grad(leaving)(x, 0), grad(leaving)(x, 1));
    same(grad(nested)(x, 0), grad(nested)(x, 1));
    near(grad(squared_slope)(x, 0), grad(squared_slope)(x, 1));       // second derivatives add up in another order
    near(grad(slope_inside)(x, 0), grad(slope_inside)(x, 1));
    let (y, t) = jvp(again)(x, x);
    print(y, t);
}
