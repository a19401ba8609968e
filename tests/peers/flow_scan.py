"""What JAX's tests of scan, associative_scan, map and cumulative reductions and PyTorch's of scan, associative_scan and map try one by one."""
import jax
import jax.numpy as jnp
from jax import lax

from beside import case, drawn

x, w, v = drawn(6, 3), drawn(3, 3, seed=1), drawn(6, 4, seed=3)
BY_ROWS, BY_COLUMNS = {"x": "S(0)"}, {"x": "S(1)"}


def scanned(f, first, lines, **named):
    return lax.scan(f, first, lines, **named)


# ---- scan ----

case("scan: sum of lines", "fn f(x) { var s = 0.0 * x[0]; for i in 0..6 { s = s + x[i]; } return s; }", {"x": x},
     lambda x: scanned(lambda s, l: (s + l, None), jnp.zeros(3), x)[0], split=BY_COLUMNS)
case("scan: running sums", "fn f(x) { var s = 0.0 * x[0]; var y = 0.0 * x; for i in 0..6 { s = s + x[i]; y[i] = s; } return y; }", {"x": x},
     lambda x: scanned(lambda s, l: (s + l, s + l), jnp.zeros(3), x)[1], split=BY_COLUMNS)
case("scan: running products from the end", "fn f(x) { var s = 0.0 * x[0] + 1.0; var y = 0.0 * x; for i in 0..6 { s = s * x[5 - i]; y[5 - i] = s; } return y; }",
     {"x": x}, lambda x: scanned(lambda s, l: (s * l, s * l), jnp.ones(3), x, reverse=True)[1], split=BY_COLUMNS)
case("scan: one result, of the last line", "fn f(x) { var l = x[0]; for i in 1..6 { l = x[i] * x[i - 1]; } return l; }", {"x": x},
     lambda x: x[5] * x[4], split=BY_COLUMNS)
case("scan: nothing but a result of each turn", "fn f(x) { var y = 0.0 * x; for i in 0..6 { y[i] = sin(x[i]) * x[i]; } return y; }", {"x": x},
     lambda x: jnp.sin(x) * x, split=BY_COLUMNS)
case("scan: a carried value that nothing reads", "fn f(x) { var s = x[0]; var q = x[1]; for i in 0..6 { s = s * x[i]; q = q + 1.0; } return s; }", {"x": x},
     lambda x: scanned(lambda s, l: (s * l, None), x[0], x)[0], split=BY_COLUMNS)
case("scan: a carried value that no turn changes", "fn f(x) { var (s, q) = (x[0], x[1]); for i in 0..6 { (s, q) = (s * q + x[i], q); } return s + q; }", {"x": x},
     lambda x: scanned(lambda c, l: ((c[0] * c[1] + l, c[1]), None), (x[0], x[1]), x)[0][0] + x[1], split=BY_COLUMNS)
case("scan: values change places", "fn f(x) { var (a, b, c) = (x[0], x[1], x[2]); for i in 0..4 { (a, b, c) = (b, c, a * b + x[i]); } return a + 2.0 * b + 3.0 * c; }",
     {"x": x}, lambda x: (lambda c: c[0] + 2 * c[1] + 3 * c[2])(scanned(lambda c, l: ((c[1], c[2], c[0] * c[1] + l), None), (x[0], x[1], x[2]), x[:4])[0]),
     split=BY_COLUMNS)
case("scan: results of several shapes", "fn f(x, w) { var s = zeros([]) as f64; var y = zeros([6, 3, 3]) as f64 to @p; var z = zeros([6]) as f64 to @p; "
     "for i in 0..6 { s = s + sum(x[i] @ w); y[i] = outer(x[i], x[i]) * s; z[i] = s * s; } return sum(y, dim = 0) @ w + sum(z); }", {"x": x, "w": w},
     lambda x, w: (lambda r: r[0].sum(0) @ w + r[1].sum())(scanned(lambda s, l: (lambda t: (t, (jnp.outer(l, l) * t, t * t)))(s + (l @ w).sum()), 0.0, x)[1]))
case("scan: a recurrent network and its loss", "fn f(x, w, v) { var h = 0.0 * w[0]; var loss = 0.0; for t in 0..6 { h = tanh(x[t] @ w + h @ v[0..3, 0..3]); "
     "loss = loss + sum(square(h - x[5 - t])); } return loss; }", {"x": x, "w": w, "v": v},
     lambda x, w, v: scanned(lambda c, l: (lambda h: ((h, c[1] + ((h - l[1]) ** 2).sum()), None))(jnp.tanh(l[0] @ w + c[0] @ v[:3, :3])),
                             (jnp.zeros(3), 0.0), (x, x[::-1]))[0][1])
case("scan: over two arrays, one backwards", "fn f(x, v) { var s = 0.0 * x[0]; for i in 0..6 { s = tanh(s + x[i] * sum(v[5 - i])); } return s; }", {"x": x, "v": v},
     lambda x, v: scanned(lambda s, l: (jnp.tanh(s + l[0] * l[1].sum()), None), jnp.zeros(3), (x, v[::-1]))[0], split=BY_COLUMNS)
case("scan: over columns", "fn f(x) { var s = 0.0 * x[.., 0]; for i in 0..3 { s = tanh(s + x[.., i]); } return s; }", {"x": x},
     lambda x: scanned(lambda s, l: (jnp.tanh(s + l), None), jnp.zeros(6), x.T)[0], split=BY_ROWS)
case("scan: over pairs of lines", "fn f(x, w) { var s = 0.0 * x[0]; for i in 0..3 { s = tanh(s @ w + x[2 * i] * x[2 * i + 1]); } return s; }", {"x": x, "w": w},
     lambda x, w: scanned(lambda s, l: (jnp.tanh(s @ w + l[0] * l[1]), None), jnp.zeros(3), x.reshape(3, 2, 3))[0])
case("scan: over blocks", "fn f(x, w) { var s = x[0..2]; for i in 0..3 { s = tanh(s @ w + x[2 * i..2 * i + 2]); } return s; }", {"x": x, "w": w},
     lambda x, w: scanned(lambda s, l: (jnp.tanh(s @ w + l), None), x[:2], x.reshape(3, 2, 3))[0], split={})
case("scan: windows that overlap", "fn f(x) { var s = x[0..3]; for i in 0..4 { s = s * 0.5 + sin(x[i..i + 3]); } return s; }", {"x": x},
     lambda x: scanned(lambda s, i: (s * 0.5 + jnp.sin(lax.dynamic_slice(x, (i, 0), (3, 3))), None), x[:3], jnp.arange(4))[0], split=BY_COLUMNS)
case("scan: blocks are written", "fn f(x) { var y = 0.0 * x; for i in 0..3 { y[2 * i..2 * i + 2] = x[2 * i..2 * i + 2] * (i as f64 + 1.0); } return y * x; }", {"x": x},
     lambda x: (x.reshape(3, 2, 3) * jnp.arange(1.0, 4.0)[:, None, None]).reshape(6, 3) * x, split=BY_COLUMNS)
case("scan: a line is written twice", "fn f(x) { var y = x; for i in 0..6 { y[i % 2] = y[(i + 1) % 2] * x[i]; } return y; }", {"x": x},
     lambda x: (lambda y: [y := y.at[i % 2].set(y[(i + 1) % 2] * x[i]) for i in range(6)][-1])(x), split=BY_COLUMNS)
case("scan: numbers below the diagonal", "fn f(w) { var y = w; for i in 1..3 { y[i] = y[i] - y[i - 1] * y[i, 0]; } return y; }", {"w": w},
     lambda w: (lambda y: [y := y.at[i].set(y[i] - y[i - 1] * y[i, 0]) for i in (1, 2)][-1])(w))
case("scan: a scan in a scan, with its results", "fn f(x, w) { var s = x[0]; var y = 0.0 * x; for i in 0..6 { var q = s; for k in 0..3 { q = tanh(q @ w + w[k]); } y[i] = q; s = s + q * x[i]; } return y + s; }"
     .replace("return y + s", "return y * 2.0 + x * sum(s)"), {"x": x, "w": w},
     lambda x, w: (lambda r: r[1] * 2.0 + x * r[0].sum())(scanned(
         lambda s, l: (lambda q: (s + q * l, q))(scanned(lambda q, r: (jnp.tanh(q @ w + r), None), s, w)[0]), x[0], x)))
case("scan: three deep", "fn f(x, w) { var s = x[0]; for i in 0..2 { for j in 0..2 { for k in 0..3 { s = tanh(s @ w + x[i + j + k]) + x[i] * w[k]; } } } return s; }",
     {"x": x, "w": w}, lambda x, w: (lambda s: [s := jnp.tanh(s @ w + x[i + j + k]) + x[i] * w[k] for i in range(2) for j in range(2) for k in range(3)][-1])(x[0]))
case("scan: a matrix power", "fn f(w) { var m = w; for i in 0..4 { m = m @ w; } return m; }", {"w": w}, lambda w: jnp.linalg.matrix_power(w, 5), digits=1e-8)
case("scan: of ints and floats", "fn f(x) { var n = 1; var s = x[0]; for i in 0..6 { n = (3 * n + 1) % 7; s = s * 0.5 + x[n % 6] * (n as f64); } return s; }", {"x": x},
     lambda x: (lambda n, s: [(n := (3 * n + 1) % 7, s := s * 0.5 + x[n % 6] * n) for _ in range(6)][-1][1])(1, x[0]), split=BY_COLUMNS)
case("scan: a bool is carried", "fn f(x) { var up = true; var s = x[0]; for i in 0..6 { if up { s = s + x[i]; } else { s = s * x[i]; } up = !up; } return s; }", {"x": x},
     lambda x: (lambda s: [s := s + x[i] if i % 2 == 0 else s * x[i] for i in range(6)][-1])(x[0]), split=BY_COLUMNS)
case("scan: a stop of the gradient in each turn", "fn f(x) { var s = x[0]; for i in 0..6 { s = stop_gradient(s) * x[i] + s; } return s; }", {"x": x},
     lambda x: scanned(lambda s, l: (lax.stop_gradient(s) * l + s, None), x[0], x)[0], split=BY_COLUMNS)
case("scan: the greatest so far, and where", "fn f(x) { var (m, at) = (x[0], zeros([3]) as i32 to @p); for i in 1..6 { at = where(x[i] > m, i as i32, at); m = maximum(m, x[i]); } return m * (at as f64 + 1.0); }",
     {"x": x}, lambda x: x.max(0) * (x.argmax(0) + 1.0))
case("scan: no lines", "fn f(x, w) { var s = x[0]; for i in 0..0 { s = s @ w; } return s; }", {"x": x, "w": w}, lambda x, w: x[0] + 0.0 * w[0])
case("scan: one line", "fn f(x, w) { var s = x[0]; for i in 0..1 { s = s @ w + x[i]; } return s; }", {"x": x, "w": w}, lambda x, w: x[0] @ w + x[0])

# ---- cumulative reductions, map ----

for dim, split in ((0, BY_COLUMNS), (1, BY_ROWS), (0, BY_ROWS)):
    of = f" along {dim}, split {split['x']}"
    case("cumsum" + of, f"fn f(x) {{ return cumsum(x * x, dim = {dim}){' to S(0)' * (split is BY_ROWS and not dim)}; }}", {"x": x}, lambda x, d=dim: jnp.cumsum(x * x, d), split=split)
    case("cumprod" + of, f"fn f(x) {{ return cumprod(x, dim = {dim}); }}", {"x": x}, lambda x, d=dim: jnp.cumprod(x, d), split={} if split is BY_ROWS and not dim else split)
    case("cummax" + of, f"fn f(x) {{ return cummax(x * x, dim = {dim}); }}", {"x": x}, lambda x, d=dim: lax.cummax(x * x, d), split={} if split is BY_ROWS and not dim else split)
    case("cummin" + of, f"fn f(x) {{ return cummin(x, dim = {dim}); }}", {"x": x}, lambda x, d=dim: lax.cummin(x, d), split={} if split is BY_ROWS and not dim else split)
    case("logcumsumexp" + of, f"fn f(x) {{ return logcumsumexp(x, dim = {dim}); }}", {"x": x}, lambda x, d=dim: lax.cumlogsumexp(x, d),
         split={} if split is BY_ROWS and not dim else split)


def linear_scan(a, b):
    return lax.associative_scan(lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (a, b))[1]


case("associative: a linear recurrence", "fn f(x, w) { let a = sigmoid(x); var h = 0.0 * x[0]; var y = 0.0 * x; for i in 0..6 { h = a[i] * h + x[i] @ w; y[i] = h; } return y; }",
     {"x": x, "w": w}, lambda x, w: linear_scan(jax.nn.sigmoid(x), x @ w))
case("associative: products of matrices", "fn f(x, w) { var m = w; var y = zeros([6, 3, 3]) as f64 to @p; for i in 0..6 { m = m @ (w + outer(x[i], x[i])); y[i] = m; } return y; }",
     {"x": x, "w": w}, lambda x, w: lax.associative_scan(lambda l, r: l @ r, jnp.concatenate([w[None], w + x[:, :, None] * x[:, None, :]]))[1:], digits=1e-8)
case("map: of lines", "fn g(l, w) { return tanh(l @ w); } fn f(x, w) { return vmap(g, over = 0)(x, w); }", {"x": x, "w": w}, lambda x, w: lax.map(lambda l: jnp.tanh(l @ w), x),
     split=BY_ROWS)
case("map: of pairs of lines", "fn g(l, r) { return outer(l, r); } fn f(x, v) { return vmap(g)(x, v); }", {"x": x, "v": v},
     lambda x, v: lax.map(lambda p: jnp.outer(*p), (x, v)), split={"x": "S(0)", "v": "S(0)"})
case("map: two deep", "fn h(a, w) { return sin(a * sum(w)); } fn g(l, w) { return vmap(h, over = 0)(l, w); } fn f(x, w) { return vmap(g, over = 0)(x, w); }", {"x": x, "w": w},
     lambda x, w: jnp.sin(x * w.sum()), split=BY_ROWS)
case("map: a scan of each line", "fn g(l, w) { var s = 0.0; for i in 0..3 { s = tanh(s + l[i] * w[i, 0]); } return s; } fn f(x, w) { return vmap(g, over = 0)(x, w); }", {"x": x, "w": w},
     lambda x, w: jax.vmap(lambda l: scanned(lambda s, p: (jnp.tanh(s + p[0] * p[1]), None), 0.0, (l, w[:, 0]))[0])(x), split=BY_ROWS)
case("map: in a scan", "fn g(l, w) { return tanh(l @ w); } fn f(x, w) { var h = x; for i in 0..3 { h = vmap(g, over = 0)(h, w) + x; } return h; }", {"x": x, "w": w},
     lambda x, w: (lambda h: [h := jnp.tanh(h @ w) + x for _ in range(3)][-1])(x), split=BY_ROWS)
case("map: a gradient of each line", "fn g(l, w) { return sum(tanh(l @ w)); } fn f(x, w) { return vmap(grad(g, wrt = 0), over = 0)(x, w); }", {"x": x, "w": w},
     lambda x, w: jax.vmap(jax.grad(lambda l: jnp.tanh(l @ w).sum()))(x), split=BY_ROWS)
case("map: a jacobian of each line", "fn g(l, w) { return sum(tanh(l @ w) * l); } fn hess(l, w) { return vmap(jvp(grad(g, wrt = 0), wrt = 0), over = 2)(l, w, eye(3, dtype = f64))[1]; } "
     "fn f(x, w) { return vmap(hess, over = 0)(x, w); }", {"x": x, "w": w}, lambda x, w: jax.vmap(jax.hessian(lambda l: (jnp.tanh(l @ w) * l).sum()))(x), split=BY_ROWS, order=1)
