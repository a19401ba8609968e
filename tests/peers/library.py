"""Functions of the library beside JAX, NumPy and SciPy, at sizes around those that kernels and blocks have, in f64 and f32."""
import itertools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import linalg as jsl

from beside import Made, case, drawn

SIZES = [1, 2, 63, 64, 65, 129]
PLACES = [(1, False), (2, False), (4, False)]
turns = itertools.count()


def both(name, pml, shapes, peer, split=None, order=2, ints=None, digits=1e-8, f32=True, scale=1, jit=True):
    """In f64 to second order, in f32 to the first, each on 1, 2 or 4 ranks in turns. shapes: of made arguments."""
    for dtype, order_of, near in (("f8", order, digits), ("f4", min(order, 1), 1e-4 * scale))[:2 if f32 else 1]:
        args = {k: Made(*s, step=7919 + 2 * i, dtype=dtype) for i, (k, s) in enumerate(shapes.items())} | (ints or {})
        case(f"library {name}, {'f64' if dtype == 'f8' else 'f32'}", pml.replace("FLOAT", "f64" if dtype == "f8" else "f32"), args, peer, split=split, order=order_of,
             digits=near, on=[PLACES[next(turns) % 3]], jit=order if jit else None)


# ---- linear algebra ----

POSITIVE = "fn positive(a) { return a @ transpose(a) + (shape(a)[0] as FLOAT) * eye(shape(a)[0], dtype = FLOAT); } "


def positive(a):
    return a @ a.T + len(a) * jnp.eye(len(a))


def mostly(a):
    return a + 2.0 * len(a) * jnp.eye(len(a))


MOSTLY = "fn mostly(a) { return a + 2.0 * (shape(a)[0] as FLOAT) * eye(shape(a)[0], dtype = FLOAT); } "
SIDES = {"b": "S(1)"}
for n in SIZES:
    square, wide = {"a": (n, n)}, {"a": (n, n), "b": (n, 3)}
    both(f"cholesky {n}", POSITIVE + "fn f(a) { return linalg.cholesky(positive(a)); }", square, lambda a: jnp.linalg.cholesky(positive(a)))
    for lower, transposed, unit in itertools.product((True, False), repeat=3):
        if n not in (2, 65) and (transposed or unit):
            continue
        of = f"lower = {lower}, transposed = {transposed}, unit = {unit}".lower()
        both(f"triangular_solve {n}, {of}", MOSTLY + f"fn f(a, b) {{ return linalg.triangular_solve(mostly(a) * {'0.01' if unit else '1.0'}, b, {of}); }}", wide,
             lambda a, b, l=lower, t=transposed, u=unit: jsl.solve_triangular(mostly(a) * (0.01 if u else 1.0), b, lower=l, trans=int(t), unit_diagonal=u), split=SIDES)
    both(f"solve {n}", MOSTLY + "fn f(a, b) { return linalg.solve(mostly(a), b); }", wide, lambda a, b: jnp.linalg.solve(mostly(a), b))
    both(f"solve, positive {n}", POSITIVE + "fn f(a, b) { return linalg.solve(positive(a), b, positive = true); }", wide, lambda a, b: jnp.linalg.solve(positive(a), b), split=SIDES)
    both(f"inverse {n}", MOSTLY + "fn f(a) { return linalg.inverse(mostly(a)); }", square, lambda a: jnp.linalg.inv(mostly(a)))
    both(f"logdet {n}", POSITIVE + "fn f(a) { return linalg.logdet(positive(a))[1]; }", square, lambda a: jnp.linalg.slogdet(positive(a))[1])
    both(f"det {n}", MOSTLY + "fn f(a) { return linalg.det(mostly(a) / (2.0 * (shape(a)[0] as FLOAT))); }", square, lambda a: jnp.linalg.det(mostly(a) / (2 * len(a))))
    both(f"qr {n}", MOSTLY + "op by_columns(q[i, j], s[j]) -> [i, j] = q * s; op by_lines(r[i, j], s[i]) -> [i, j] = r * s; "
         "fn f(a, b) { let (q, r) = linalg.qr(mostly(a)); let s = sign(diagonal(r)); return by_columns(q, s) @ b + by_lines(r, s) @ sin(b); }", wide,
         lambda a, b: (lambda q, r: (lambda s: (q * s) @ b + (r * s[:, None]) @ jnp.sin(b))(jnp.sign(jnp.diagonal(r))))(*jnp.linalg.qr(mostly(a))), f32=n < 100)
    both(f"eigenvalues {n}", "fn f(a) { return linalg.eigh(a + transpose(a))[0]; }", square, lambda a: jnp.linalg.eigvalsh(a + a.T), order=1, digits=1e-7)
    both(f"eigenvectors {n}", "fn f(a, b) { let (w, v) = linalg.eigh(a + transpose(a)); return tanh(a + transpose(a)) @ b + v @ (transpose(v) @ b * unsqueeze(tanh(w))); }", wide,
         lambda a, b: (lambda w, v: jnp.tanh(a + a.T) @ b + v @ (v.T @ b * jnp.tanh(w)[:, None]))(*jnp.linalg.eigh(a + a.T)), order=1, digits=1e-6, f32=False)
    both(f"singular values {n}", "fn f(b) { return linalg.svd(b)[1]; }", {"b": (n, 3)}, lambda b: jnp.linalg.svd(b, full_matrices=False)[1], order=1, digits=1e-7)
    if n > 3:
        both(f"least_squares {n}", "fn f(b, c) { return linalg.least_squares(b, c); }", {"b": (n, 3), "c": (n, 2)}, lambda b, c: jnp.linalg.lstsq(b, c)[0], order=1)
    case(f"library cholesky of matrices {n}", (POSITIVE + "fn f(m) { return vmap(one)(m); } fn one(a) { return linalg.cholesky(positive(a)); }").replace("FLOAT", "f64"),
         {"m": Made(4, min(n, 9), min(n, 9))}, lambda m: jax.vmap(lambda a: jnp.linalg.cholesky(positive(a)))(m), split={"m": "S(0)"}, on=PLACES, order=1)

# ---- along a dimension ----

for n in SIZES:
    for dim, s in ((0, (n, 3)), (1, (3, n))):
        named, split = f"{n} along {dim}", {"x": f"S({1 - dim})"}
        shapes = {"x": s}
        near = 0.9 if n < 100 else 1.0  # products neither vanish nor overflow
        for name, pml, f in (
                ("cumsum", "cumsum(x, dim = DIM)", jnp.cumsum), ("cumprod", "cumprod(1.0 + 0.1 * x, dim = DIM)", lambda x, d: jnp.cumprod(1 + 0.1 * x, d)),
                ("cummax", "cummax(x, dim = DIM)", lax.cummax), ("cummin", "cummin(x, dim = DIM)", lax.cummin),
                ("logcumsumexp", "logcumsumexp(x, dim = DIM)", lax.cumlogsumexp), ("logsumexp", "logsumexp(x, dim = DIM)", jax.nn.logsumexp),
                ("softmax", "softmax(x, dim = DIM)", jax.nn.softmax), ("log_softmax", "log_softmax(x, dim = DIM)", jax.nn.log_softmax),
                ("sort", "sort(x, dim = DIM)", jnp.sort), ("median", "median(x, dim = DIM)", jnp.median),
                ("quantile", "quantile(x, 0.3, dim = DIM)", lambda x, d: jnp.quantile(x, 0.3, d)),
                ("quantiles", "quantile(x, [0.0, 0.5, 0.9], dim = DIM)", lambda x, d: jnp.quantile(x, jnp.array([0.0, 0.5, 0.9]), d)),
                ("flip", "flip(x, dim = DIM) * x", lambda x, d: jnp.flip(x, d) * x), ("roll", "roll(x, 2, dim = DIM) * x", lambda x, d: jnp.roll(x, 2, d) * x),
                ("variance", "variance(x, dim = DIM)", jnp.var), ("norm", "norm(x, dim = DIM)", lambda x, d: jnp.linalg.norm(x, axis=d)),
                ("top_k", f"top_k(x, {min(n, 5)}, dim = DIM)[0]", lambda x, d, k=min(n, 5): jnp.flip(jnp.sort(x, d), d).take(jnp.arange(k), d)),
                ("max", "max(x, dim = DIM)", jnp.max), ("prod", "prod(1.0 + 0.1 * x, dim = DIM)", lambda x, d: jnp.prod(1 + 0.1 * x, d))):
            both(f"{name} {named}", f"fn f(x) {{ return {pml.replace('DIM', str(dim))}; }}", shapes, lambda x, f=f, d=dim: f(x, d),
                 split=split if name not in ("quantiles",) else {}, order=2 if n < 100 else 1)
        random = np.random.default_rng(n)
        ids, count = random.integers(0, 4, n).astype(np.int32), 5
        by_ids = lambda op: lambda x, ids, op=op, d=dim: jnp.moveaxis(op(jnp.moveaxis(x, d, 0), ids), 0, d)
        segment_softmax = lambda y, ids: (lambda e: e / jax.ops.segment_sum(e, ids, count)[ids])(jnp.exp(y))
        for name, pml, op in (
                ("segment_sum", f"segment_sum(x, ids, {count}, dim = {dim})", lambda y, ids: jax.ops.segment_sum(y, ids, count)),
                ("segment_mean", f"segment_mean(x, ids, {count}, dim = {dim})",
                 lambda y, ids: jax.ops.segment_sum(y, ids, count) / jnp.maximum(jnp.bincount(ids, length=count), 1)[:, None]),
                ("segment_softmax", f"segment_softmax(x, ids, {count}, dim = {dim})", segment_softmax)):
            both(f"{name} {named}", f"fn f(x, ids) {{ return {pml}; }}", shapes, by_ids(op), split=split, ints={"ids": ids})
        there = np.sort(np.unique(ids)).astype(np.int32)
        both(f"segment_max {named}", f"fn f(x, ids) {{ return take(segment_max(x, ids, {count}, dim = {dim}), [{', '.join(map(str, there))}] as i32, dim = {dim}); }}", shapes,
             by_ids(lambda y, ids, t=there: jax.ops.segment_max(y, ids, count)[t]), split=split, ints={"ids": ids})
        at = random.integers(0, n, (2, 3) if dim == 0 else (3, 2)).astype(np.int32)
        both(f"take_along {named}", f"fn f(x, at) {{ return take_along(x * x, at, dim = {dim}); }}", shapes, lambda x, at, d=dim: jnp.take_along_axis(x * x, at, d), ints={"at": at})
        both(f"take {named}", f"fn f(x, at) {{ return take(x * x, at, dim = {dim}); }}", shapes, lambda x, at, d=dim: jnp.take(x * x, at, d), split=split, ints={"at": at[0]})
        both(f"add_along_at {named}", f"fn f(x, ids) {{ return add_along_at(broadcast_ids(ids, x), x, {count}, dim = {dim}); }} "
             + ("op broadcast_ids(ids[n]: int, x[n, k]) -> [n, k] = if x == x => ids else ids;" if dim == 0 else "op broadcast_ids(ids[n]: int, x[k, n]) -> [k, n] = if x == x => ids else ids;"),
             shapes, by_ids(lambda y, ids: jax.ops.segment_sum(y, ids, count)), ints={"ids": ids})
    both(f"scatter_add {n}", "fn f(x, at) { return scatter_add(at, x * x, 6); }", {"x": (n, 3)}, lambda x, at: jnp.zeros((6, 3)).at[at].add(x * x),
         split={"x": "S(1)"}, ints={"at": np.random.default_rng(n).integers(0, 6, n).astype(np.int32)})
    both(f"searchsorted {n}", "fn f(x, y) { return searchsorted(sort(x), y) as FLOAT + 0.5 * (searchsorted(sort(x), x, right = true)[0] as FLOAT) ; }", {"x": (n,), "y": (7,)},
         lambda x, y: jnp.searchsorted(jnp.sort(x), y) + 0.5 * jnp.searchsorted(jnp.sort(x), x, side="right")[0], split={"y": "S(0)"}, order=0)
    both(f"depthwise convolution {n}", "fn f(x, k) { return nn.causal_conv(x, k); }", {"x": (2, n, 4), "k": (4, 3)},
         lambda x, k: sum(jnp.pad(x, ((0, 0), (2, 0), (0, 0)))[:, i:i + x.shape[1]] * k[:, i] for i in range(3)), split={"x": "S(0)"})
