// Derivatives of products: of cumulative ones from either end, of expressions, with zeros, in reverse and forward mode, of derivatives, of many at once,
// against a loop that multiplies turn by turn; and of products of all elements.
//% layouts 0:1 1:2 2:2 3:3 (4:4)
//% also --reproducible
const LAYOUT : int = 0;
const R : int = [1, 2, 2, 3, 4][LAYOUT];
place all = ranks(0..R);
const L : layout = [B, S(0), S(1), S(1), S(0)][LAYOUT];

param x : f64[4, 6] @ all : L = zeros();
param w : f64[4, 6] @ all : B = zeros();

op from_end(a[.., j], n: int) -> [.., n] = prod[j] where(j >= n, 1.0 - a, 1);

fn turn_by_turn(x) {
    var p = ones([4]) as f64;
    var y = x;
    for j in 0..6 { p = p * x[.., j]; y[.., j] = p; }
    return y;
}
fn scanned() { return sum(w * (cumprod(x) to B)); }
fn in_turn() { return sum(w * turn_by_turn(x to B)); }
fn scanned_back() { return sum(square(w * (from_end(x, n = 6) to B))); }
fn in_turn_back() { return sum(square(w * flip(turn_by_turn(1.0 - flip(x to B, dim = 1)), dim = 1))); }
fn along_first() { return sum(w * (cumprod(x, dim = 0) to B)); }
fn all_of_first() { return sum((cumprod(x, dim = 0) to B)[3, ..]); }
fn all_of_line() { return sum(prod(x, dim = 0) to B); }
fn all_of_all() { return sum(square(prod(x to B))); }
fn of_gradient() { let g = grad(scanned, wrt = [x])(); return sum(square(g.x) to B); }
fn of_gradient_in_turn() { let g = grad(in_turn, wrt = [x])(); return sum(square(g.x) to B); }
fn of_product() { let g = grad(all_of_line, wrt = [x])(); return sum(square(g.x) to B); }

main {
    x = [[1.0, 2.0, 0.0, 3.0, 4.0, 0.5], [2.0, -1.0, 3.0, 1.0, 0.0, 0.0], [0.5, 0.25, -2.0, 8.0, 1.5, 1.0], [0.0, 0.0, 1.0, 2.0, 0.0, 3.0]] as f64 to @all : L;
    w = reshape(iota(24) % 7 - 3, [4, 6]) as f64 to @all : B;
    let g = grad(scanned, wrt = [x])();
    let h = grad(in_turn, wrt = [x])();
    assert_close(g.x to B, h.x to B, rtol = 1e-14);
    print(g.x to B);
    let gb = grad(scanned_back, wrt = [x])();
    let hb = grad(in_turn_back, wrt = [x])();
    assert_close(gb.x to B, hb.x to B, rtol = 1e-13);
    let gg = grad(of_gradient, wrt = [x])();
    let hh = grad(of_gradient_in_turn, wrt = [x])();
    assert_close(gg.x to B, hh.x to B, rtol = 1e-13);
    print(gg.x to B);
    let gf = grad(along_first, wrt = [x])();
    print(gf.x to B);
    let gl = grad(all_of_line, wrt = [x])();
    let ga = grad(all_of_first, wrt = [x])();
    assert_close(gl.x to B, ga.x to B, rtol = 1e-14);
    print(gl.x to B);
    let gp = grad(of_product, wrt = [x])();
    print(gp.x to B);
    let gt = grad(all_of_all, wrt = [x])();
    print(gt.x to B);
    let v = x to B;
    let (y, dy) = jvp(cumprod)(v, w);
    let (z, dz) = jvp(turn_by_turn)(v, w);
    assert_equal(y, z);
    assert_equal(dy, dz);
    compare_many(v);
}

fn squares(x) { return sum(square(cumprod(x, dim = 1))); }
fn squares_in_turn(x) { return sum(square(turn_by_turn(x))); }
fn compare_many(v) {
    let many = stack([v, v + 0.5, 2.0 - v], dim = 0);
    assert_close(vmap(grad(squares))(many), vmap(grad(squares_in_turn))(many), rtol = 1e-13);
}
