// Params read in loops and branches: one of a list by what follows from the number of the turn, where a break decides how many there are;
// the same one in a branch of a turn and behind the loop, in derivatives of derivatives.
//% ranks 1 2 (3)
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N) as (dp = N);
param w : [3] f64[4] @ p = normal(std = 0.5);
param u : f64[4] @ p = [1.0, 1.1, 0.9, 1.2] as f64;

fn turns_by_three(x: f64[4]) -> f64 @ p {
    var h = x to @p;
    var s = sum(h) * 0.0;
    for t in 0..10 {
        let m = max(h);
        if m > 1.5 { break; }
        if m > 0.7 { h = h * 0.9; } else { h = h + 0.3 * w[t % 3] - 0.01 * w[-1 - floor_div(t, 4)]; }
        s = s + sum(h * h * h);
    }
    return s;
}

fn in_branch_and_behind(x: f64[4]) -> f64 @ p {
    var h = x to @p;
    for i in 0..4 {
        h = 0.5 * (h + tanh(h));
        if i == 2 { h = h + sin(h * u); }
    }
    let d = h * u;
    return sum(d * d);
}

fn norm(x: f64[4]) -> f64 @ p {
    let dx = grad(in_branch_and_behind, wrt = "x")(x);
    return sum(dx * dx);
}

fn as_many(x: f64[4], n: int) -> f64 @ p {
    var h = x to @p;
    for i in 0..n { h = h * w[i] + u; }
    return sum(h);
}

fn of_any(ws, k: int) { return sum(ws[k]); }

// Loops that make no turn mention what they would read: a list of which one is named in some way, and what makes a number a tensor.
fn of_none(x: f64[4]) -> f64 @ p {
    var s = 0.0;
    for i in 0..0 { s = s + sum(w[i] * x) + of_any(w, 2 * i % 3); }
    for i in 2..2 { for j in 0..2 { s = s + sum(u) * j; } }
    return s;
}

main {
    assert(length(w) == 3 && length((1, 2.0)) == 2);
    let x = [0.1, 0.2, 0.3, 0.9] as f64;
    let (l, g) = value_and_grad(turns_by_three)(x);
    print(l, g.w[0], g.w[1], g.w[2]);
    check_gradient(turns_by_three, x);
    let (a, b) = jvp(grad(turns_by_three, wrt = "x"))(x, ones([4], f64));
    print(a, b);
    let (n, h) = value_and_grad(norm)(x);
    print(n, h.u);
    check_gradient(norm, x);
    print(hessian_vector(in_branch_and_behind, x, ones([4], f64)));
    for k in 0..4 {
        let (y, d) = value_and_grad(as_many)(x, k);
        print(k, y, d.w[0], d.w[2], d.u);
    }
    let (none, zeros_by) = value_and_grad(of_none)(x);
    assert(none == 0.0 && sum(abs(zeros_by.u)) == 0.0);
    print(zeros_by);
}
