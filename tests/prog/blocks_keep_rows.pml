// Blocks of split rows and columns in a loop: each stays with the rank that has it, as slices of numbers written out do.
//% layouts 0 2 (1)
const LAYOUT : int = 0;
const X : int = [1, 2, 4][LAYOUT];
place all = ranks(0..X);
state x : f32[24, 12] @ all : S(0) = reshape((iota(288) * 7 % 23) as f32 * 0.1 - 1.0, [24, 12]);
state y : f32[5, 24] @ all : S(1) = reshape((iota(120) * 5 % 17) as f32 * 0.1 - 0.8, [5, 24]);

fn rows(x) {
    var s = 0.0;
    for b in 0..4 { s = s + (b + 1) * sum(exp(x[6 * b .. 6 * b + 6])); }
    return s to B;
}
fn pairs(x) {
    var s = 0.0;
    for b in 0..12 { s = s * 0.5 + sum(tanh(x[2 * b .. 2 * b + 2, 3..7])) to B; }
    return s;
}
fn backwards(x) {
    var s = 0.0;
    for b in 0..4 { s = s + (b + 1) * sum(exp(x[18 - 6 * b .. 24 - 6 * b])); }
    return s to B;
}
fn columns(y) {
    var s = 0.0;
    for b in 0..8 { s = s + (b + 1) * sum(exp(y[.., 3 * b .. 3 * b + 3])); }
    return s to B;
}

main {
    let (a, da) = value_and_grad(rows)(x);
    let (b, db) = value_and_grad(pairs)(x);
    let (c, dc) = value_and_grad(columns)(y);
    print(a, sum(da * da) to B, da[7] to B);
    print(b, sum(db * db) to B, db[23] to B);
    print(c, sum(dc * dc) to B, dc[2] to B);
    print(backwards(x));
}
