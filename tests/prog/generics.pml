// Functions over sizes, element types, placements and layouts; defaults and named arguments.
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);
place q = ranks(0..1);

fn twice[n, t: float](x: t[n]) -> t[n] { return x * 2.0; }
fn added[r: place, l: layout](x: f32[6] @ r : l, y: f32[6] @ r : l) -> f32[6] @ r : l { return x + y; }
fn gram[m, k](x: f32[m, k] @ p : S(0)) -> f32[k, k] @ p : P { return transpose(x) @ x; }
fn halves(x) { let n = shape(x)[0] / 2; return x[0..n] + x[n..2 * n]; }
fn pairs(x, y = 2.0) { return (x * y, x + y); }
fn rows[.., k](x: f32[.., k]) -> f32[..] { return sum(x, dim = -1); }
fn size_of[n, m](x: f32[n, m]) { return n * m; }
fn matrix[n](x: f32[n, n]) -> f32[n] { let d[i] = x[i, i]; return d; }
fn counted[t: int](x: t[6]) -> t { return sum(x) to B; }
fn any_number[t: number](x: t[6]) { return x + x; }
fn zeros_like(x) { return zeros(shape(x), dtype = x.dtype); }
fn applied(f, x, times: int) { var y = x; for i in 0..times { y = f(y); } return y; }
fn doubled(x) { return x + x; }
fn typed(x: f64[6], by: float, n: int, b: bool = true) -> f64[6] { return if b => x * by + n else x; }
fn nothing() { }
fn inner(x) { fn_calls(x); return fn_calls(x) + 1.0; }
fn fn_calls(x) { return x * 3.0; }

main {
    let x = iota(6) as f32 to @p : S(0);
    print(twice(x) to B, twice(x as f64) to B, twice(x to B));
    print(added(x, x) to B, added(x to B, x to B), added(iota(6) as f32 to @q, ones([6]) to @q) to @p);
    let m = reshape(x to B, [3, 2]);
    print(gram(m) to B, rows(m), rows(reshape(x to B, [1, 2, 3])), size_of(m));
    let (a, b) = pairs(x);
    print(a to B, b to B, pairs(x to B, y = 3.0)[1], pairs(y = 1.0, x = x)[0] to B);
    print(halves(x to B), matrix(reshape(iota(9) as f32, [3, 3]) to @p), counted(x as i32), counted(x as u8), any_number(x as i16) to B);
    print(zeros_like(x as f64) to @p, applied(doubled, x, 3) to B, applied(relu, x - 3.0, times = 2) to B);
    print(typed(x as f64, 2.0, 1) to B, typed(x as f64, 2, 1, b = false) to B, inner(x) to B);
    nothing();
}
