// Loops in segments that take rows, columns and blocks of a split dimension, one each turn: legal on any number of ranks, also where segments are
// no shares and the last is shorter. What derivatives from several turns add up to is the same bits on all with --reproducible.
//% ranks 1 4 (2 3)
//% bits segments_of_split
const N : int = 1;
const Z : layout = [S(0), S(1), S(0, shares = [1, 3, 2]), B][N - 1];
place all = ranks(0..N);
state x : f64[24, 4] @ all : S(0) = -reshape(sin(iota(96) as f64), [24, 4]);
state y : f64[4, 24] @ all : S(1) = reshape(cos(iota(96) as f64), [4, 24]);
state z : f64[24, 4] @ all : Z = -reshape(sin(iota(96) as f64), [24, 4]);
state k : i64[24] @ all : S(0) = iota(24) % 5;

fn rows(x) {
    var s = 0.0;
    remat every 5 for b in 0..24 {
        s = 0.9 * sin(s) + (b + 1) * sum(square(x[b] to B)) + 0.3 * sum(x[23 - b] to B) + s * sum(0.1 * x[(b + 7) % 24] to B) + (k[b] to B) as f64;
    }
    return s;
}
fn columns(y) {
    var s = 0.0;
    remat every 4 for b in 0..24 { s = 0.9 * sin(s) + (b + 1) * sum(square(y[.., b] to B)) + 0.3 * sum(y[.., 23 - b] to B); }
    return s;
}
fn blocks(x) {
    var s = 0.0;
    remat every 2 for b in 0..4 { s = 0.9 * sin(s) + (b + 1) * sum(square(x[6 * b..6 * (b + 1)] to B)) + 0.3 * sum(x[18 - 6 * b..24 - 6 * b] to B); }
    return s;
}
fn across(y) {
    var s = 0.0;
    remat every 3 for b in 0..4 { s = 0.9 * sin(s) + (b + 1) * sum(square(y[.., 6 * b..6 * (b + 1)] to B)) + 0.3 * sum(y[.., 18 - 6 * b..24 - 6 * b] to B); }
    return s;
}
fn together(z) {
    var s = 0.5 * sum(z[0] to B);
    remat every 3 for b in 0..12 {
        s = 0.9 * sin(s) + 0.1 * (sum(exp(0.3 * (z[2 * ((b + 1) % 12)..2 * ((b + 1) % 12) + 2] to B))) + b * sum(z[b] to B) + sum(sin(z to B)));
    }
    return s;
}

main {
    let (a, da) = value_and_grad(rows)(x);
    print(a, da to B);
    let (b, db) = value_and_grad(columns)(y);
    print(b, db to B);
    let (c, dc) = value_and_grad(blocks)(x);
    print(c, dc to B);
    let (d, dd) = value_and_grad(across)(y);
    print(d, dd to B);
    let (e, de) = value_and_grad(together)(z);
    print(e, de to B);
}
