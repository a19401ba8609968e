"""What the suites of ONNX, NumPy and einops try of arrays: windows of unequal sides, several dimensions at once, elements read and replaced at
lists and at ints that only the running program knows, axes named and renamed; beside JAX."""
import itertools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from beside import Made, case

PLACES = [(1, False), (2, False), (3, False), (4, False)]
turns = itertools.count()
random = np.random.default_rng(17)


def one(name, body, shapes, peer, split=None, order=2, items="", **ints):
    """In f64, on one of the numbers of ranks in turns; what is not an expression ends with a return."""
    args = {k: Made(*s, step=7919 + 2 * i) for i, (k, s) in enumerate(shapes.items())} | {k: np.asarray(v, np.int32) for k, v in ints.items()}
    text = body if "return " in body else f"return {body};"
    case(f"arrays {name}", f"{items} fn f({', '.join(args)}) {{ {text} }}", args, peer, split=split, order=order, digits=1e-9,
         on=[PLACES[next(turns) % 4]], jit=order)


def listed(v):
    return f"[{', '.join(map(listed, v))}]" if isinstance(v, (tuple, list)) else str(v)


# ---- windows ----

def conv(x, w, stride, pad, dilation, groups):
    return lax.conv_general_dilated(x, w, stride, [(p, p) for p in pad], rhs_dilation=dilation, feature_group_count=groups)


for size, stride, pad, dilation, groups in (((1, 3), (2, 1), (0, 1), (1, 1), 1), ((3, 1), (1, 2), (1, 0), (1, 1), 2), ((2, 3), (2, 2), (1, 1), (2, 1), 1),
                                            ((2, 2), (3, 1), (0, 2), (1, 3), 2), ((3, 3), (1, 2), (1, 1), (1, 1), 4)):
    of = f"{size}, stride {stride}, pad {pad}, dilation {dilation}, {groups} groups"
    given = f"stride = {listed(stride)}, pad = {listed(pad)}, dilation = {listed(dilation)}, groups = {groups}"
    how = (stride, pad, dilation, groups)
    one(f"conv2d {of}", f"conv2d(x, w, {given})", {"x": (4, 4, 7, 6), "w": (8, 4 // groups, *size)}, lambda x, w, a=how: conv(x, w, *a), split={"x": "S(0)"})
    one(f"conv3d {of}", f"windows.conv3d(x, w, stride = {listed((1, *stride))}, pad = {listed((0, *pad))}, dilation = {listed((1, *dilation))}, groups = {groups})",
        {"x": (4, 4, 2, 5, 6), "w": (4, 4 // groups, 2, *size)}, lambda x, w, s=(1, *stride), p=(0, *pad), d=(1, *dilation), g=groups: conv(x, w, s, p, d, g),
        split={"x": "S(0)"}, order=1)
    # Of the sizes that the convolution brings to h and v, which one is said by `after`.
    for more in ((0, 0), tuple(min(1, s - 1) for s in stride)):
        whole = tuple((n - 1) * s - 2 * p + d * (k - 1) + 1 + m for n, s, p, d, k, m in zip((4, 3), stride, pad, dilation, size, more))
        one(f"conv_transpose2d {of}, after {more}", f"conv_transpose2d(x, w, after = {listed(more)}, {given})", {"x": (4, 4, 4, 3), "w": (4, 2, *size)},
            lambda x, w, a=how, n=whole: jax.vjp(lambda z: conv(z, w, *a), jnp.zeros((4, 2 * a[3], *n)))[1](x)[0], split={"x": "S(0)"})

for size, stride, pad in (((2, 3), (1, 2), (1, 0)), ((3, 2), (2, 2), (1, 1)), ((1, 4), (3, 1), (0, 2))):
    window = dict(window_dimensions=(1, 1, *size), window_strides=(1, 1, *stride), padding=((0, 0), (0, 0), *((p, p) for p in pad)))
    total = lambda x, w=window: lax.reduce_window(x, 0.0, lax.add, **w)
    given = f"size = {listed(size)}, stride = {listed(stride)}, pad = {listed(pad)}"
    of = f"{size}, stride {stride}, pad {pad}"
    one(f"max_pool2d {of}", f"max_pool2d(x, {given})", {"x": (3, 4, 7, 6)}, lambda x, w=window: lax.reduce_window(x, -jnp.inf, lax.max, **w), split={"x": "S(1)"}, order=1)
    one(f"avg_pool2d {of}", f"avg_pool2d(x, {given})", {"x": (3, 4, 7, 6)}, lambda x, t=total, n=size[0] * size[1]: t(x) / n, split={"x": "S(1)"})
    one(f"avg_pool2d of what is there {of}", f"avg_pool2d(x, {given}, padded = false)", {"x": (3, 4, 7, 6)}, lambda x, t=total: t(x) / t(jnp.ones_like(x)), split={"x": "S(0)"})

for dim, (before, after) in itertools.product(range(3), ((1, 0), (2, 1), (0, 3))):
    around = [(0, 0)] * 3
    around[dim] = (before, after)
    for mode in ("reflect", "edge", "wrap"):
        one(f"pad {mode} {before} {after} along {dim}", f'pad(x * x, {before}, {after}, dim = {dim}, mode = "{mode}")', {"x": (4, 5, 4)},
            lambda x, a=tuple(around), m=mode: jnp.pad(x * x, a, mode=m), split={"x": f"S({(dim + 1) % 3})"})
    one(f"pad with a value {before} {after} along {dim}", f"sin(pad(x * x, {before}, {after}, dim = {dim}, value = 0.7))", {"x": (4, 5, 4)},
        lambda x, a=tuple(around): jnp.sin(jnp.pad(x * x, a, constant_values=0.7)), split={"x": f"S({(dim + 1) % 3})"})

# ---- several dimensions at once ----

for dims in ((0, 1), (1, 2), (0, 2), (2, 0), (0, 1, 2), (-1, 0)):
    along = f"dim = {listed(dims)}"
    for name, peer in (("softmax", jax.nn.softmax), ("log_softmax", jax.nn.log_softmax), ("logsumexp", jax.nn.logsumexp), ("variance", jnp.var), ("std", jnp.std),
                       ("sum", jnp.sum), ("prod", jnp.prod), ("norm", lambda x, axis: jnp.sqrt(jnp.sum(x * x, axis)))):
        one(f"{name} along {dims}", f"finish({name}(x + 0.1, {along}))", {"x": (3, 4, 5)}, lambda x, p=peer, a=dims: p(x + 0.1, axis=a), split={"x": "S(1)"})
    one(f"variance, a sample's, along {dims}", f"finish(variance(x, {along}, correction = 1))", {"x": (3, 4, 5)}, lambda x, a=dims: jnp.var(x, a, ddof=1), split={"x": "S(0)"})

# ---- indices ----

ZERO = np.int32(0)

one("rows set", "var y = sin(x); y[at] = 2.0 * v; return y * y;", {"x": (6, 4), "v": (3, 4)}, lambda x, v, at: jnp.square(jnp.sin(x).at[at].set(2 * v)), split={"x": "S(1)", "v": "S(1)"}, at=[5, 0, 2])
one("columns set", "var y = sin(x); y[1..4, at] = v; return y * y;", {"x": (6, 4), "v": (3, 2)}, lambda x, v, at: jnp.square(jnp.sin(x).at[1:4, at].set(v)), at=[3, 0])
one("rows set by a loop", "var y = x; for k in 0..3 { y[(at + k) % 6] = y[(at + k + 1) % 6] * v[k] + 1.0; } return y;", {"x": (6, 4), "v": (3,)},
    lambda x, v, at: (lambda y: [y := y.at[(at + k) % 6].set(y[(at + k + 1) % 6] * v[k] + 1.0) for k in range(3)][-1])(x), at=[5, 2])
one("one row for several", "var y = x; y[at..at + 3] *= v; y[.., 1] = v[0]; return y;", {"x": (6, 4), "v": (4,)},
    lambda x, v, at: lax.dynamic_update_slice(x, lax.dynamic_slice(x, (at, ZERO), (3, 4)) * v, (at, ZERO)).at[:, 1].set(v[0]), at=2)
one("a block", "x[at..at + 2, .., k[0]..k[0] + 3] * 2.0", {"x": (4, 3, 6)}, lambda x, at, k: lax.dynamic_slice(x, (at, ZERO, k[0]), (2, 3, 3)) * 2, at=1, k=[2])
one("a block set", "var y = x * x; y[at..at + 2, 1..3] = v; return y;", {"x": (4, 5), "v": (2, 2)}, lambda x, v, at: lax.dynamic_update_slice(x * x, v, (at, ZERO + 1)), at=2)
one("blocks of lines", "vmap(block, over = (\"x\", \"at\"))(x, at)", {"x": (5, 6, 3)}, lambda x, at: jax.vmap(lambda x, i: lax.dynamic_slice(x, (i, ZERO), (2, 3)) ** 2)(x, at),
    split={"x": "S(0)"}, items="fn block(x, at) { return square(x[at..at + 2]); }", at=[0, 4, 2, 1, 3])
one("pairs of indices", "let y[n, k] = x[at[n, 0], at[n, 1], k] * x[at[n, 0], 0, k]; return y;", {"x": (3, 6, 4)}, lambda x, at: x[at[:, 0], at[:, 1]] * x[at[:, 0], 0],
    split={"x": "S(2)"}, at=[[0, 5], [2, 3], [2, 5], [1, 0]])
for dim in range(2):
    at = np.stack([random.permutation(5)[:3] for _ in range(5)], 1 - dim)
    one(f"put_along {dim}", f"square(put_along(sin(x), at, v, dim = {dim}))", {"x": (5, 5), "v": at.shape}, lambda x, v, at, d=dim: jnp.square(jnp.put_along_axis(jnp.sin(x), at, v, d, inplace=False)),
        split={"x": f"S({1 - dim})", "v": f"S({1 - dim})", "at": f"S({1 - dim})"}, at=at)

# ---- axes by name ----

for text in ("ij->ji", "bij,bjk->bik", "ii->i", "iij->j", "i,j,k->kji", "ijk,ij->k", "ijk,jl,kl->il", "bhqd,bhkd->bhqk", "ab,bc,cd,de->ae", "abc,cba->b", "a,ab,abc->abc",
             "ijij->ij", "ab,ab,c->c", "ea,fb,abcd,gc,hd->efgh", "abcd->dacb", "ab,ac,ad->bcd"):
    into, out = text.split("->")
    names = into.split(",")
    extent = dict(zip("abcdefghijklqp", (2, 3, 4, 3, 2, 3, 2, 4, 3, 4, 2, 5, 3, 4)))
    args = {f"x{i}": tuple(extent[c] for c in s) for i, s in enumerate(names)}
    reduced = [c for c in dict.fromkeys("".join(names)) if c not in out]
    product = " * ".join(f"x{i}[{', '.join(s)}]" for i, s in enumerate(names))
    one(f"einsum {text}", f"let y[{', '.join(out)}] = {f'sum[{chr(44).join(reduced)}] ' if reduced else ''}{product}; return y;", args,
        lambda text=text, **x: jnp.einsum(text, *x.values()))
for name, pml, peer in (
        ("heads", "permute(reshape(x, [2, 3, 4, 5]), [0, 2, 1, 3])", lambda x: x.reshape(2, 3, 4, 5).transpose(0, 2, 1, 3)),
        ("space to depth", "reshape(permute(reshape(x, [2, 3, 2, 2, 5]), [0, 1, 3, 2, 4]), [6, 20])", lambda x: x.reshape(2, 3, 2, 2, 5).transpose(0, 1, 3, 2, 4).reshape(6, 20)),
        ("means of groups", "mean(reshape(x, [2, 3, 4, 5]), dim = [1, 3])", lambda x: x.reshape(2, 3, 4, 5).mean((1, 3))),
        ("repeated", "repeat(tile(x, [1, 2]), 3, dim = 0)", lambda x: jnp.repeat(jnp.tile(x, (1, 2)), 3, 0)),
        ("packed", "concat([reshape(x, [6, -1]), reshape(x[.., 0..2], [6, -1])])", lambda x: jnp.concatenate([x.reshape(6, -1), x[:, :2].reshape(6, -1)], 1))):
    one(f"rearranged, {name}", f"sin({pml})", {"x": (6, 20)}, lambda x, p=peer: jnp.sin(p(x)))
