// minimize.pml — functions without noise, such as losses of all data at once, brought to a minimum by their params.
//
// f() gives a finished number, or f(x) where data = x is given, a tensor or a tuple. Its params are assigned step by step, and what is returned is
// the last value. Directions are gradients as values: they lie as params do, and ranks exchange scalars alone. Steps are halved until the
// value goes down enough (Armijo, 1966); where it does not any more, or the norm of the gradient is at most `tolerance`, that is the end.
//
// The examples stand in `main` of a program that begins with
//
//     import std.minimize;
//
//     param w : f64[2] = [-1.2, 1.0];
//     fn valley() { return (1.0 - w[0]) ** 2.0 + 100.0 * (w[1] - w[0] * w[0]) ** 2.0; }
import std.optim;

fn value_of(f, x) {
    if x == none { return value_and_grad(f)(); }
    return value_and_grad(f)(x);
}
fn gradient_of(f, x) {
    if x == none { return grad(f)(); }
    return grad(f)(x);
}

// A scalar as a number of the host.
fn number(x) {
    var v = 0.0;
    v += x;
    return v;
}

// From value l and gradient g along `way`, or the half of it, and so on: value, gradient and what the params moved by; nothing, if all is too far.
fn stepped(f, x, l, g: gradient, way: gradient) {
    let old = each (p, d) in g => p;
    let slope = 1e-4 * number(optim.dot(g, way));
    var (share, tries) = (1.0, 0);
    each (p, d) in g { p = old[p] + way[p]; }
    var (m, h) = value_of(f, x);
    while !(m <= l + share * slope) && tries < 40 {
        share = 0.5 * share;
        tries += 1;
        each (p, d) in g { p = old[p] + share * way[p]; }
        (m, h) = value_of(f, x);
    }
    if !(m <= l + share * slope) {
        each (p, d) in g { p = old[p]; }
        (m, h) = (l, g);
    }
    return (m, h, each (p, d) in g => p - old[p]);
}

fn in_front(x, rest: list, n: int) {
    var all = [x];
    for k in 0..n - 1 { all = all + [rest[k]]; }
    return all;
}

/// By what the last `history` steps did to the gradient (L-BFGS; Nocedal, 1980), which is kept: as much memory as 2 history + 4 times the params.
///     print(minimize.lbfgs(valley, steps = 60) < 1e-12, abs(w - [1.0, 1.0]) < 1e-6);    // true [true, true]
fn lbfgs(f, steps: int, data = none, history: int = 8, tolerance = 1e-9) {
    var (l, g) = value_of(f, data);
    var (moves, turns, weights) = ([], [], []);            // of params and of gradients, the last ones first; 1 / their product
    for k in 0..history { (moves, turns, weights) = (moves + [0.0 * g], turns + [0.0 * g], weights + [0.0]); }
    var scale = min(1.0, 1.0 / max(number(optim.norm(g)), 1e-30));
    var done = 0;
    while done < steps && number(optim.norm(g)) > tolerance {
        var way = -1.0 * g;
        var shares = [];
        for k in 0..history {
            let a = weights[k] * number(optim.dot(moves[k], way));
            way = way - a * turns[k];
            shares = shares + [a];
        }
        way = scale * way;
        for j in 0..history {
            let k = history - 1 - j;
            way = way + (shares[k] - weights[k] * number(optim.dot(turns[k], way))) * moves[k];
        }
        let (m, h, move) = stepped(f, data, l, g, way);
        let turn = h - g;
        let product = number(optim.dot(move, turn));
        if product > 0.0 {
            moves = in_front(move, moves, history);
            turns = in_front(turn, turns, history);
            weights = in_front(1.0 / product, weights, history);
            scale = product / number(optim.dot(turn, turn));
        }
        if number(optim.dot(move, move)) == 0.0 { break; }
        (l, g) = (m, h);
        done += 1;
    }
    return l;
}

// Whose gradient is the Hessian times v.
fn slope_along(f, x, v: gradient) { return optim.dot(gradient_of(f, x), v); }

// About where the quadratic of gradient g and Hessian is least, by conjugate gradients; as far as it is convex.
fn newton_way(f, x, g: gradient, inner: int) {
    var way = 0.0 * g;
    var (rest, along) = (g, -1.0 * g);
    var square = number(optim.dot(g, g));
    let enough = square * min(0.0001, sqrt(square));
    var j = 0;
    while j < inner {
        let bent = grad(slope_along)(f, x, along);
        let curvature = number(optim.dot(along, bent));
        if curvature <= 0.0 {
            if j == 0 { way = along; }
            break;
        }
        way = way + (square / curvature) * along;
        rest = rest + (square / curvature) * bent;
        let now = number(optim.dot(rest, rest));
        if now <= enough { break; }
        along = (now / square) * along - rest;
        square = now;
        j += 1;
    }
    return way;
}

/// By Newton's method, whose equations are solved by at most `inner` steps of conjugate gradients, more exactly as the gradient gets smaller (Dembo,
/// Steihaug, 1983). Products with the Hessian are derivatives of the gradient: three to four times the work of one, and there is no matrix.
///     print(minimize.newton_cg(valley, steps = 30) < 1e-12, abs(w - [1.0, 1.0]) < 1e-6);    // true [true, true]
fn newton_cg(f, steps: int, data = none, inner: int = 30, tolerance = 1e-9) {
    var (l, g) = value_of(f, data);
    var done = 0;
    while done < steps && number(optim.norm(g)) > tolerance {
        let (m, h, move) = stepped(f, data, l, g, newton_way(f, data, g, inner));
        if number(optim.dot(move, move)) == 0.0 { break; }
        (l, g) = (m, h);
        done += 1;
    }
    return l;
}
