// Functions with derivatives of their own: of both modes and any order, in loops, branches, blocks that are computed again and lines of `vmap`, of several arguments and results,
// in several layouts, beside what differentiation gives of the same written otherwise.
//% test 1 3 (2 4)
place p = ranks(0..4);

// Steps have no derivative: that of the root is the rule's.
fn steps(a) {
    var x = a;
    for i in 0..30 { x = 0.5 * (x + a / x); }
    return stop_gradient(x);
}
fn change_of_root(a, x, da) { return da / (2.0 * root(a)) + 0.0 * x; }
fn root(a) { return custom_jvp(steps, change_of_root)(a); }
fn own_root(a) { return custom_jvp(steps, by_result)(a); }
fn by_result(a, x, da) { return da / (2.0 * x); }

fn back_of_root(a, x, dx) {
    var d = 0.0 * dx;
    for i in 0..3 { d = d + (0.5 - 0.25 * d * d * 0.0) * dx / (3.0 * x); }
    return d;
}
fn root_back(a) { return custom_vjp(steps, back_of_root)(a); }

fn looped(f, a) { var s = 0.0 * a; for i in 0..3 { s = s + f(a * (1.0 + s)); } return s; }
fn branched(f, a) { var s = a; for i in 0..4 { if (sum(s) to B) < 20.0 { s = f(s) + a; } else { s = s - a; } } return s; }
fn again(f, a) { var s = a; for i in 0..3 { s = remat { f(s) * a }; } return s; }
fn line(f, a) { return sum(f(a) * a); }
fn lines(f, a) { return line_of(f, [a, 2.0 * a, a + 1.0]); }
fn of_root(a) { return line(root, a); }
fn of_own(a) { return line(own_root, a); }
fn of_back(a) { return line(root_back, a); }
fn of_sqrt(a) { return line(sqrt, a); }
fn line_of(f, all) { return vmap(f)(stack(all)); }

fn total(a, k: int, own: int) {
    let f = if own == 0 => sqrt else if own == 1 => root else if own == 2 => own_root else root_back;
    let y = if k == 0 => f(a) else if k == 1 => looped(f, a) else if k == 2 => branched(f, a) else if k == 3 => again(f, a)
        else lines(if own == 0 => of_sqrt else if own == 1 => of_root else if own == 2 => of_own else of_back, a);
    return finish(sum(y * y * y));
}
fn weights(a) { return 0.3 + 0.1 * reshape(iota(volume(a)) as f64, shape(a)); }
fn slope(a, k: int, own: int) { return finish(sum(grad(total, wrt = "a")(a, k, own) * weights(a))); }
fn curve(a, k: int, own: int) { return finish(sum(grad(slope, wrt = "a")(a, k, own) * weights(a))); }

test "orders" {
    let a = 1.0 + 0.5 * (iota(6) as f64) to @p : S(0);
    for k in [0, 1, 2, 3, 4] {
        for own in [1, 2, 3] {
            assert_close(total(a, k, own), total(a, k, 0), rtol = 1e-12);
            assert_close(grad(total, wrt = "a")(a, k, own) to B, grad(total, wrt = "a")(a, k, 0) to B, rtol = 1e-10);
            assert_close(grad(slope, wrt = "a")(a, k, own) to B, grad(slope, wrt = "a")(a, k, 0) to B, rtol = 1e-10);
            assert_close(grad(curve, wrt = "a")(a, k, own) to B, grad(curve, wrt = "a")(a, k, 0) to B, rtol = 1e-10);
        }
    }
}

test "both modes" {
    let (a, d) = (1.0 + (iota(5) as f64) to @p : S(0), 1.0 - 0.3 * (iota(5) as f64) to @p : S(0));
    let (x, dx) = jvp(root)(a, d);
    let (y, dy) = vjp(root)(a, d);
    assert_close(x to B, sqrt(a) to B, rtol = 1e-12);
    assert_close(dx to B, (d / (2.0 * sqrt(a))) to B, rtol = 1e-12);
    assert_close(dy to B, dx to B, rtol = 1e-12);
    assert_close((jvp(grad(of_root))(a, d)[1]) to B, (jvp(grad(of_sqrt))(a, d)[1]) to B, rtol = 1e-11);
    assert_close((grad(along)(a)) to B, (grad(along_sqrt)(a)) to B, rtol = 1e-11);
}
fn along(a) { return finish(sum(jvp(own_root)(a, a * a)[1])); }
fn along_sqrt(a) { return finish(sum(jvp(sqrt)(a, a * a)[1])); }

// Several arguments, of which some are no tensors, and several results, of which one is no float.
struct Pair { u: f64[_], v: f64[_] }
fn parts(p, scale, power: int, shift) {
    let y = (p.u * p.v + shift) * scale;
    return (Pair(y ** power, sin(y)), argmax(y), y);
}
fn change_of_parts(p, scale, power, shift, found, dp, dscale, dpower, dshift) {
    let y = found[2];
    let dy = (dp.u * p.v + p.u * dp.v + dshift) * scale;
    return (Pair(power * y ** (power - 1) * dy, cos(y) * dy), 0, dy);
}
fn made(u, v, own: bool) {
    let f = if own => custom_jvp(parts, change_of_parts) else parts;
    let (pair, at, y) = f(Pair(u, v), 0.5, shift = u * u, power = 3);
    return finish(sum(pair.u * pair.v) + sum(y * y));
}
test "arguments and results" {
    let (u, v) = (0.2 * (iota(4) as f64) to @p : B, 1.0 - 0.1 * (iota(4) as f64) to @p : B);
    let (l, g) = value_and_grad(made, wrt = ("u", "v"))(u, v, true);
    let (m, h) = value_and_grad(made, wrt = ("u", "v"))(u, v, false);
    assert_close(l, m);
    assert_close(g[0], h[0], rtol = 1e-12);
    assert_close(g[1], h[1], rtol = 1e-12);
}

// A linear system by Richardson's iteration, whose derivative is another system; rows of the matrix are split.
fn iterated(a, b) {
    var x = 0.0 * b;
    for i in 0..120 { x = x + 0.15 * (b - ((a @ (x to B)) to B)); }
    return x;
}
fn system(a, b) { return custom_jvp(iterated, change_of_system)(a, b); }
fn change_of_system(a, b, x, da, db) { return system(a, db - ((da @ x) to B)); }
param m : f64[12, 12] @ p : S(0) = zeros();
fn fit(b) { return finish(sum(square(system(m, b)))); }
fn plain_fit(b) { return finish(sum(square(iterated(m, b)))); }
test "systems" {
    let b = 1.0 + (iota(12) as f64) to @p : B;
    m = ((eye(12) * 5.0 + 0.1) as f64 + 0.01 * outer(iota(12) as f64, 1.0 - iota(12) as f64)) to @p : S(0);
    assert_close((grad(fit)(b).m) to B, (grad(plain_fit)(b).m) to B, rtol = 1e-9);
    assert_close(grad(fit, wrt = "b")(b), grad(plain_fit, wrt = "b")(b), rtol = 1e-9);
    check_gradient(fit, b);
    assert_close(grad(fit_slope, wrt = "b")(b), grad(plain_slope, wrt = "b")(b), rtol = 1e-8);
    assert_close((grad(fit_slope, wrt = m)(b).m) to B, (grad(plain_slope, wrt = m)(b).m) to B, rtol = 1e-8);
}
fn fit_slope(b) { return finish(sum(grad(fit)(b).m * 0.01) + sum(grad(fit, wrt = "b")(b) * b)); }
fn plain_slope(b) { return finish(sum(grad(plain_fit)(b).m * 0.01) + sum(grad(plain_fit, wrt = "b")(b) * b)); }

// By cotangents the solver needs no derivative at all, and a rule need not be linear.
fn opaque(a, b) { return stop_gradient(iterated(a, b)); }
fn pulled(a, b, x, dx) {
    let l = solution(transpose(a to B) to S(0), dx);
    return (-outer(l to S(0), x), l);
}
fn solution(a, b) { return custom_vjp(opaque, pulled)(a, b); }
fn fit_back(b) { return finish(sum(square(solution(m, b)))); }
fn slope_back(b) { return finish(sum(grad(fit_back)(b).m * 0.01) + sum(grad(fit_back, wrt = "b")(b) * b)); }
fn same(x, k, by: int) { return x; }
fn bounded(x, k, by, y, dy) { return (clamp(dy, -1.0 * by, 1.0 * by), 0, 0); }
fn limited(x) { return sum(square(custom_vjp(same, bounded)(x, [1, 2] as i32, by = 2))); }
test "cotangents" {
    let b = 1.0 + (iota(12) as f64) to @p : B;
    m = ((eye(12) * 5.0 + 0.1) as f64 + 0.01 * outer(iota(12) as f64, 1.0 - iota(12) as f64)) to @p : S(0);
    assert_close(jacobian(fit_back, b), grad(fit_back, wrt = "b")(b), rtol = 1e-12);
    assert_close((grad(fit_back)(b).m) to B, (grad(plain_fit)(b).m) to B, rtol = 1e-9);
    check_gradient(fit_back, b);
    assert_close(grad(slope_back, wrt = "b")(b), grad(plain_slope, wrt = "b")(b), rtol = 1e-8);
    assert_close((grad(slope_back, wrt = m)(b).m) to B, (grad(plain_slope, wrt = m)(b).m) to B, rtol = 1e-8);
    assert_close(grad(limited)([0.25, 3.0, -8.0] as f32), [0.5, 2.0, -2.0] as f32);
    assert_close(vmap(grad(limited))([[0.25, 3.0], [-8.0, 0.5]] as f32), [[0.5, 2.0], [-2.0, 1.0]] as f32);
    assert_close(grad(of_lines)([[0.25, 3.0], [-8.0, 0.5]] as f32), [[0.5, 2.0], [-2.0, 1.0]] as f32);
}
fn of_lines(x) { return sum(vmap(limited)(x)); }

// A rule that is no operator: one length for all of a line.
fn unit_back(x, y, dy) { return dy / norm(dy); }
fn directed(x) { return sum(square(custom_vjp(exp, unit_back)(x))); }
fn directed_lines(x) { return sum(vmap(directed)(x)); }
test "lines have rules of their own" {
    let x = [[0.25, 1.0, 0.5], [-1.0, 0.5, 0.0]] as f64;
    let y = exp(x);
    assert_close(grad(directed_lines)(x), y / unsqueeze(norm(y, dim = -1)), rtol = 1e-9);
    assert_close(vmap(grad(directed))(x), grad(directed_lines)(x), rtol = 1e-12);
}

// What the rule does not move has no derivative; one that is 0 gives zeros.
fn rounded(x) { return round(x); }
fn through(x, y, dx) { return dx; }
fn nothing(x, y, dx) { return 0; }
fn halves(x) { return sum(custom_jvp(rounded, through)(x) * x) + sum(custom_jvp(exp, nothing)(x)); }
test "straight through" {
    let x = [0.4, 1.6, 2.2] as f32;
    assert_close(grad(halves)(x), x + round(x));
}

// A rule for cotangents of several results, of which one is no float and one may be unread: in loops, blocks, lines and derivatives of derivatives.
fn both(a, b) { return (a * b, sin(a) + b, argmax(a)); }
fn back_of_both(a, b, found, d) {
    let (y, z, at) = found;
    let (dy, dz, dat) = d;
    return (dy * (y / a) + dz * cos(a), dy * a + dz);
}
fn own_both(a, b) { return custom_vjp(both, back_of_both)(a, b); }
fn read(a, b, k: int, own: bool) {
    let f = if own => own_both else both;
    if k == 0 { let (y, z, at) = f(a, b); return finish(sum(y * y * z) + sum(exp(z) * y)); }
    if k == 1 { let (y, z, at) = f(a, b); return finish(sum(z * z * z)); }
    if k == 2 { return sum(vmap(lines_of_both, over = ("a", "b"))(stack([a, b]), stack([b, a]), own)) to B; }
    return turns_of_both(a, b, own);
}
fn turns_of_both(a, b, own: bool) {
    let f = if own => own_both else both;
    var (x, y) = (a, b);
    for i in 0..3 {
        let (u, v, at) = f(x, y);
        x = u * 0.3 + v;
        y = remat { let (r, s, none) = f(u, x); r - s };
    }
    return finish(sum(x * y));
}
fn lines_of_both(a, b, own: bool) { return turns_of_both(a, b, own); }
fn second(a, b, k: int, own: bool) {
    let (da, db) = grad(read, wrt = ("a", "b"))(a, b, k, own);
    return finish(sum(da * sin(b)) + sum(db * da));
}
// What the rule makes of both cotangents is no sum of what it makes of each.
fn twice(x) { return (x, x); }
fn product(x, found, d) { return d[0] * d[1]; }
fn of_twice(x) { let (y, z) = custom_vjp(twice, product)(x); return finish(2.0 * sum(y) + 3.0 * sum(z)); }
fn of_first(x) { let (y, z) = custom_vjp(twice, product)(x); return finish(2.0 * sum(y)); }
fn lines_of_twice(x) { return sum(vmap(of_twice)(stack([x, x + 1.0], dim = 0))); }
test "cotangents of several results" {
    let (a, b) = (0.1 + 0.2 * (iota(3) as f64) to @p : B, 1.1 - 0.3 * (iota(3) as f64) to @p : B);
    for k in [0, 1, 2, 3] {
        let (da, db) = grad(read, wrt = ("a", "b"))(a, b, k, true);
        let (ea, eb) = grad(read, wrt = ("a", "b"))(a, b, k, false);
        assert_close(da, ea, rtol = 1e-12);
        assert_close(db, eb, rtol = 1e-12);
        let (sa, sb) = grad(second, wrt = ("a", "b"))(a, b, k, true);
        let (ta, tb) = grad(second, wrt = ("a", "b"))(a, b, k, false);
        assert_close(sa, ta, rtol = 1e-9);
        assert_close(sb, tb, rtol = 1e-9);
    }
    assert_close(grad(of_twice)(a), 0.0 * a + 6.0);
    assert_close(grad(of_first)(a), 0.0 * a);
    assert_close(grad(lines_of_twice)(a), 0.0 * a + 12.0);
}
