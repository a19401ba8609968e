// Linear algebra of BATCH matrices of N x N, step after step: OP says what, KIND of which matrices, T in which type.
import std.linalg;
const OP : int = 0;
const KIND : int = 0;     /// random; products x x^T / (2 N) of N x 2 N; five values a hair apart; values over six decades
const T : dtype = f32;
const N : int = 128;
const BATCH : int = 1;
const M : int = 8;        /// right sides
config steps : int = 10;
place all = ranks(0..1);

param x : T[BATCH, N, N] @ all = normal(std = 1.0);
param y : T[BATCH, N, N] @ all = normal(std = 1.0);
param b : T[BATCH, N, M] @ all = normal(std = 1.0);
state a : T[BATCH, N, N] @ all = zeros();
state l : T[BATCH, N, N] @ all = zeros();
state r : T[BATCH, N, N] @ all = zeros();
state w : T[BATCH, N] @ all = zeros();
state d : T[BATCH] @ all = zeros();
state s : T[BATCH, N, M] @ all = zeros();
state order : i32[BATCH, N] @ all = zeros();

const DECOMPOSED : bool = OP < 3;        // into values and vectors, of whose matrices there are kinds
const POSITIVE : bool = OP == 8 || OP == 9;

fn with_values(values: T[N] @ all) {
    let q = linalg.qr(x)[0];
    let p = if OP == 0 => q else linalg.qr(y)[0];
    return (q * values) @ transpose(p);
}
fn matrices() {
    let i = iota(N) as T;
    if DECOMPOSED && KIND == 2 { return with_values(1.0 + floor(i * 5.0 / N) + 1e-6 * x[0, 0]); }
    if DECOMPOSED && KIND == 3 { return with_values(10.0 ** (-6.0 * i / N)); }
    if DECOMPOSED && KIND == 1 || POSITIVE { return (x @ transpose(x) + y @ transpose(y)) / (2.0 * N); }
    return x;
}

main {
    let made = matrices();
    a = if OP == 0 => made + transpose(made) else made;
    for i in 0..steps {
        if OP == 0 { let (values, vectors) = linalg.eigh(a); w = values; l = vectors; }
        if OP == 1 { let (u, values, v) = linalg.svd(a); w = values; l = u; r = v; }
        if OP == 2 { l = linalg.pinv(a); }
        if OP == 3 { let (q, t) = linalg.qr(a); l = q; r = t; }
        if OP == 4 { let (t, u, lines) = linalg.lu(a); l = t; r = u; order = lines; }
        if OP == 5 { s = linalg.solve(a, b); }
        if OP == 6 { l = linalg.inverse(a); }
        if OP == 7 { d = linalg.det(a); }
        if OP == 8 { l = linalg.cholesky(a); }
        if OP == 9 { s = linalg.solve(a, b, positive = true); }
        if OP == 10 { s = linalg.triangular_solve(a, b); }
        if OP == 11 { s = linalg.least_squares(a, b); }
        if OP == 12 { l = linalg.power(a, 10); }
    }
}
