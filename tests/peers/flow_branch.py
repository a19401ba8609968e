"""What JAX's tests of cond, switch, while_loop and fori_loop and PyTorch's of cond and while_loop try one by one."""
import jax
import jax.numpy as jnp
from jax import lax

from beside import case, drawn

x, w, u = drawn(4, 3), drawn(3, 3, seed=1), drawn(3, seed=2)
BY_ROWS = {"x": "S(0)"}
NUMBERS = "config one : int = 1;\nconfig four : int = 4;\nconfig zero : int = 0;\n"


def flow(name, text, args, peer, **more):
    case(name, NUMBERS + text, args, peer, **more)


def last(values):
    return list(values)[-1]


def doubled(x):
    while (x ** 2).sum() < 100.0:
        x = x * 2.0
    return x


def counted(x):
    y = x
    for _ in range(4):
        y = jnp.sin(y) + x
    return y


def grown(x, turns, most):
    for _ in range(turns):
        if x.max() >= most:
            break
        x = x * 1.5
    return x


def turned(x, n):
    y = x
    for _ in range(n):
        y = jnp.tanh(y) + x
    return y


def continued(x):
    y = x
    for _ in range(6):
        y = y * 0.5 if y.sum() > 2.0 else y + abs(x)
        yield y


def newton(a):
    """Each line by itself: what is done is done."""
    def root(a):
        y = a
        while abs(y * y - a) > 1e-12:
            y = 0.5 * (y + a / y)
        return y
    return jnp.stack([root(l) for l in a])


def by_greatest(x):
    y = x[0]
    for _ in range(3):
        y = jnp.tanh(y + x[int(jnp.argmax(y)) % 4])
    return y


def exchanged(x):
    y = x
    for i in range(3):
        t = y[i]
        y = y.at[i].set(y[i + 1]).at[i + 1].set(t * 2.0)
    return y * x


def elements(x):
    for i in range(4):
        for k in range(3):
            x = x.at[i, k].set(x[i, k] * x[(i + 3) % 4, k] + 1.0)
    return x


def tangents(u):
    y, t = u, u * u
    for _ in range(3):
        y, t = jax.jvp(lambda y: jnp.tanh(y) * y, (y,), (t,))
    return y + t


def newtons(u):
    y = u
    d = jax.grad(lambda y: (y ** 4 + (y - u) ** 2).sum())
    for _ in range(4):
        y = y - d(y) / jax.jvp(d, (y,), (jnp.ones(3),))[1]
    return y


# ---- cond ----

for sign, limit in ((1, -100.0), (0, 100.0)):
    taken = "taken" if sign else "not taken"
    flow(f"cond: an expression, {taken}", f"fn f(x) {{ return if finish(sum(x)) > {limit} => sin(x) else x * x; }}", {"x": x},
         lambda x, t=sign: jnp.sin(x) if t else x * x, split=BY_ROWS)
    flow(f"cond: of an argument that only one arm reads, {taken}", f"fn f(x, w) {{ var y = x; if finish(sum(x)) > {limit} {{ y = x @ w; }} return y; }}", {"x": x, "w": w},
         lambda x, w, t=sign: x @ w if t else x + 0.0 * w.sum(), split=BY_ROWS)
    flow(f"cond: an arm that hands a constant on, {taken}", f"fn f(x) {{ var y = 0.0 * x; if finish(sum(x)) > {limit} {{ y = x * x; }} else {{ y = 0.0 * x + 3.0; }} return y * x; }}", {"x": x},
         lambda x, t=sign: x ** 3 if t else 3.0 * x, split=BY_ROWS)
    flow(f"cond: NaN in the other arm, {taken}", f"fn f(x) {{ var y = x; if finish(sum(x)) > {-limit} {{ y = sqrt(-1.0 - x * x) ; }} else {{ y = x * x; }} if finish(sum(x)) > {limit} {{ y = x * 2.0; }} return y; }}"
         if sign else f"fn f(x) {{ var y = x * x; if finish(sum(x)) > {limit} {{ y = sqrt(-1.0 - x * x); }} return y; }}", {"x": x},
         lambda x, t=sign: 2.0 * x if t else x * x, split=BY_ROWS)
    flow(f"cond: in a cond, {taken}", f"fn f(x) {{ var y = x; if finish(sum(x)) > {limit} {{ if finish(sum(y * y)) > 1.0 {{ y = sin(y); }} else {{ y = cos(y); }} }} else {{ if one == 1 {{ y = y * y; }} }} return y; }}",
         {"x": x}, lambda x, t=sign: jnp.sin(x) if t else x * x, split=BY_ROWS)
    flow(f"cond: a value is returned, {taken}", f"fn f(x) {{ if finish(sum(x)) > {limit} {{ return sin(x); }} let y = x * x; return y * x; }}", {"x": x},
         lambda x, t=sign: jnp.sin(x) if t else x ** 3, split=BY_ROWS)
    flow(f"cond: in a function that is called twice, {taken}", f"fn g(y, s) {{ return if finish(sum(y)) * s > {limit} => y * s else y * y; }} fn f(x) {{ return g(g(x, 1.0), 0.5); }}", {"x": x},
         lambda x, t=sign: 0.5 * x if t else x ** 4, split=BY_ROWS)
for k in range(5):
    flow(f"switch: arm {k}", f"config arm : int = {k}; fn f(x, w) {{ var y = x; if arm == 0 {{ y = sin(x); }} else if arm == 1 {{ y = x @ w; }} else if arm == 2 {{ y = y * 3.0; }} "
         "else if arm == 3 { for i in 0..2 { y = tanh(y) @ w; } } return y * x; }", {"x": x, "w": w},
         lambda x, w, k=k: x * [lambda: jnp.sin(x), lambda: x @ w, lambda: 3.0 * x, lambda: jnp.tanh(jnp.tanh(x) @ w) @ w, lambda: x][k]() + 0.0 * w.sum(), split=BY_ROWS)
    flow(f"switch: of functions in a list, {k}", f"config arm : int = {k}; fn a(x) {{ return sin(x); }} fn b(x) {{ return x * x; }} fn c(x) {{ return exp(0.1 * x); }} "
         "fn f(x) { var y = x; for i in 0..3 { if (arm + i) % 3 == 0 { y = a(y); } else if (arm + i) % 3 == 1 { y = b(y); } else { y = c(y); } } return y; }", {"x": x},
         lambda x, k=k: last(x := [jnp.sin, jnp.square, lambda z: jnp.exp(0.1 * z)][(k + i) % 3](x) for i in range(3)), split=BY_ROWS)
flow("cond: by an element", "fn f(u) { var y = u; if u[0] > u[1] { y = u * u; } else { y = sin(u); } return y; }", {"u": u}, lambda u: u * u if u[0] > u[1] else jnp.sin(u))
flow("cond: of two tensors that change", "fn f(x, u) { var (a, b) = (x, u); if finish(sum(x)) > -100.0 { a = x * sum(u); b = u * u; } return a * sum(b); }", {"x": x, "u": u},
     lambda x, u: x * u.sum() * (u * u).sum(), split=BY_ROWS)
flow("cond: of a struct", "struct Two { a : f64[4, 3], b : f64[3] } fn f(x, u) { var s = Two(a = x, b = u); if finish(sum(x)) > -100.0 { s = Two(a = s.a * 2.0, b = s.b * s.b); } return s.a * sum(s.b); }",
     {"x": x, "u": u}, lambda x, u: 2.0 * x * (u * u).sum(), split=BY_ROWS)
flow("cond: of a number that becomes a tensor", "fn f(x) { var s = 1.0; if finish(sum(x)) > -100.0 { s = finish(sum(x * x)); } return x * s; }", {"x": x}, lambda x: x * (x * x).sum(), split=BY_ROWS)
flow("cond: for each line", "fn g(l) { return if sum(l) > 0.0 => sin(l) else l * l; } fn f(x) { return vmap(g)(x); }", {"x": x},
     lambda x: jnp.where(x.sum(1, keepdims=True) > 0, jnp.sin(x), x * x), split=BY_ROWS)
flow("cond: for each line, by another argument", "fn g(l, c) { var y = l; if c > 0.0 { y = sqrt(abs(l)); } return y; } fn f(x) { return vmap(g)(x, x[.., 0]); }", {"x": x},
     lambda x: jnp.where(x[:, :1] > 0, jnp.sqrt(abs(x)), x), split=BY_ROWS)
flow("cond: a root that not all lines take", "fn g(l) { if l[0] > 0.0 { return sqrt(l[0]) * l; } return l; } fn f(x) { return vmap(g)(x); }", {"x": x},
     lambda x: jnp.stack([jnp.sqrt(l[0]) * l if l[0] > 0 else l for l in x]), split=BY_ROWS)

# ---- while, fori ----

flow("while: doubling", "fn f(x) { var y = x; while finish(sum(square(y))) < 100.0 { y = y * 2.0; } return y; }", {"x": x}, lambda x: doubled(x), split=BY_ROWS)
flow("while: a pair, one of which counts", "fn f(x) { var (i, y) = (0, x); while i < four { y = sin(y) + x; i = i + 1; } return y; }", {"x": x},
     lambda x: counted(x), split=BY_ROWS)
flow("while: no turn", "fn f(x) { var y = x * x; while finish(sum(y)) < -1.0 { y = y * 2.0; } return y; }", {"x": x}, lambda x: x * x, split=BY_ROWS)
flow("while: two conditions", "fn f(x) { var y = x; var i = 0; while i < 10 && finish(max(y)) < 20.0 { y = y * 1.5; i = i + 1; } return y; }", {"x": x},
     lambda x: grown(x, 10, 20.0), split=BY_ROWS)
flow("while: in a while", "fn f(x) { var y = x; var i = 0; while i < 3 { var k = 0; while k < i + one { y = tanh(y) + x; k = k + 1; } i = i + 1; } return y; }", {"x": x},
     lambda x: turned(x, 1 + 2 + 3), split=BY_ROWS)
flow("while: of a triangle of unknown size", "fn f(x) { var y = x; for i in 0..four { for k in 0..i { y = tanh(y) + x; } } return y; }", {"x": x}, lambda x: turned(x, 6), split=BY_ROWS)
flow("while: a loop in a cond in a loop", "fn f(x) { var y = x; for i in 0..four { if i % 2 == one { for k in 0..i { y = tanh(y) + x; } } } return y; }", {"x": x},
     lambda x: turned(x, 1 + 3), split=BY_ROWS)
flow("while: left from within two", "fn f(x) { var y = x; for i in 0..four { for k in 0..9 { if k > i { break; } y = tanh(y) + x; } if i == 2 { break; } } return y; }", {"x": x},
     lambda x: turned(x, 1 + 2 + 3), split=BY_ROWS)
flow("while: returned from within two", "fn f(x) { var y = x; for i in 0..four { for k in 0..9 { if k + i == 5 { return y * y; } y = tanh(y) + x; } } return y; }", {"x": x},
     lambda x: turned(x, 5) ** 2, split=BY_ROWS)
flow("while: continue by a value", "fn f(x) { var y = x; for i in 0..6 { if finish(sum(y)) > 2.0 { y = y * 0.5; continue; } y = y + abs(x); } return y; }", {"x": x},
     lambda x: last([x] + list(continued(x))), split=BY_ROWS)
flow("while: Newton's root of each line", "fn g(a) { var y = a; while abs(y * y - a) > 1e-12 { y = 0.5 * (y + a / y); } return y; } fn f(x) { return vmap(g)(x[.., 0] * x[.., 0] + 1.0); }", {"x": x},
     lambda x: newton(x[:, 0] ** 2 + 1.0), split=BY_ROWS, digits=1e-7)
flow("while: powers by squaring", "fn f(w) { var (m, b, n) = (eye(3, dtype = f64) to @p, w, 11 * one); while n > 0 { if n % 2 == 1 { m = m @ b; } b = b @ b; n = floor_div(n, 2); } return m; }",
     {"w": w}, lambda w: jnp.linalg.matrix_power(w, 11), digits=1e-7)
flow("fori: factorial of floats", "fn f(u) { var y = u; for i in 1..7 { y = y * u * (i as f64); } return y; }", {"u": u}, lambda u: u ** 7 * 720.0, digits=1e-8)
flow("fori: from a to b", "fn f(u) { var y = u; for i in one..four { y = y * (i as f64) + u; } return y; }", {"u": u}, lambda u: last(y := (u if i == 0 else y * i + u) for i in range(4)))
flow("fori: downwards", "fn f(x) { var y = x[0]; for i in 0..four { y = tanh(y + x[3 - i]); } return y; }", {"x": x}, lambda x: last(y := (x[0] if i < 0 else jnp.tanh(y + x[3 - i])) for i in range(-1, 4)))
flow("fori: steps of three", "fn f(x) { var s = x[0]; for i in 0..4 { s = sin(s + x[3 * i % 4]); } return s; }", {"x": x}, lambda x: last(s := (x[0] if i < 0 else jnp.sin(s + x[3 * i % 4])) for i in range(-1, 4)))
flow("fori: a row by an int of the data", "fn f(x) { var y = x[0]; var k = zero; for i in 0..5 { y = tanh(y + x[k]); k = (k + 3) % four; } return y; }", {"x": x},
     lambda x: last(y := (x[0] if i < 0 else jnp.tanh(y + x[3 * i % 4])) for i in range(-1, 5)))
flow("fori: a row by the greatest", "fn f(x) { var y = x[0]; for i in 0..3 { y = tanh(y + x[argmax(y) % 4]); } return y; }", {"x": x}, lambda x: by_greatest(x))
flow("fori: rows are exchanged", "fn f(x) { var y = x; for i in 0..3 { let t = y[i]; y[i] = y[i + 1]; y[i + 1] = t * 2.0; } return y * x; }", {"x": x}, lambda x: exchanged(x))
flow("fori: an element", "fn f(x) { var y = x; for i in 0..4 { for k in 0..3 { y[i, k] = y[i, k] * y[(i + 3) % 4, k] + 1.0; } } return y; }", {"x": x}, lambda x: elements(x))
flow("fori: no loop on no rank", "fn f(u) { var s = 0.0; for i in 0..four { s = s * 2.0 + 1.0; } return u * s; }", {"u": u}, lambda u: u * 15.0)
flow("fori: the gradient of a gradient in turns", "fn q(u, x) { return sum(tanh(x @ u)) ; } fn f(u, x) { var y = u; for i in 0..3 { y = y - 0.1 * grad(q, wrt = 0)(y, x); } return y; }",
     {"u": u, "x": x}, lambda u, x: last(y := (u if i < 0 else y - 0.1 * jax.grad(lambda y: jnp.tanh(x @ y).sum())(y)) for i in range(-1, 3)))
flow("fori: a tangent in turns", "fn q(u) { return tanh(u) * u; } fn f(u) { var (y, t) = (u, u * u); for i in 0..3 { (y, t) = jvp(q)(y, t); } return y + t; }", {"u": u}, lambda u: tangents(u))
flow("fori: Newton's steps with a Hessian", "fn q(y, u) { return sum(square(square(y)) + square(y - u)); } fn d(y, u) { return grad(q, wrt = 0)(y, u); } "
     "fn f(u) { var y = u; for i in 0..4 { let h = jvp(d, wrt = 0)(y, u, ones([3], dtype = f64))[1]; y = y - d(y, u) / h; } return y; }", {"u": u}, lambda u: newtons(u))
