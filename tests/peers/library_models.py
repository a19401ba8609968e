"""What the library has of models and methods beside the same in JAX: recurrences, CTC, chains of labels, equations, learning to learn."""
import itertools

import jax
import jax.numpy as jnp
import numpy as np

from beside import Made, case
from library import PLACES, both

BY_ROWS = {"x": "S(0)"}


# ---- recurrences ----

def lstm(x, w, u, b):
    h = c = jnp.zeros((x.shape[0], u.shape[0]))
    for t in range(x.shape[1]):
        i, f, g, o = jnp.split(x[:, t] @ w + h @ u + b, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return h


def gru(x, w, u, b, c):
    h = jnp.zeros((x.shape[0], u.shape[0]))
    for t in range(x.shape[1]):
        (ar, az, an), (rr, rz, rn) = jnp.split(x[:, t] @ w + b, 3, -1), jnp.split(h @ u + c, 3, -1)
        z, n = jax.nn.sigmoid(az + rz), jnp.tanh(an + jax.nn.sigmoid(ar + rr) * rn)
        h = n + z * (h - n)
    return h


def scanned(x, delta, a, b, c, skip):
    h, y = jnp.zeros((x.shape[0], x.shape[2], a.shape[1])), []
    for t in range(x.shape[1]):
        h = jnp.exp(delta[:, t, :, None] * a) * h + (delta[:, t] * x[:, t])[:, :, None] * b[:, t, None, :]
        y.append((h * c[:, t, None, :]).sum(-1))
    return jnp.stack(y, 1) + x * skip


def mamba(x, up, filter, shift, mix, time, least, rate, skip, down):
    e, s, r = rate.shape[0], rate.shape[1], time.shape[0]
    z = x @ up
    u = z[..., :e]
    k = filter.shape[1]
    padded = jnp.pad(u, ((0, 0), (k - 1, 0), (0, 0)))
    u = jax.nn.silu(sum(padded[:, i:i + x.shape[1]] * filter[:, i] for i in range(k)) + shift)
    m = u @ mix
    delta = jax.nn.softplus(m[..., :r] @ time + least)
    return (scanned(u, delta, -jnp.exp(rate), m[..., r:r + s], m[..., r + s:], skip) * jax.nn.silu(z[..., e:])) @ down


ZERO = "zeros([shape(x)[0], D], dtype = FLOAT)"
for t in (1, 2, 17):
    both(f"lstm {t}", "op blank(x[n, t, i], d: int) -> [n, d] = sum[t, i] 0.0 * x; fn f(x, w, u, b) { var h = finish(blank(x, d = 3)); var c = h; for t in 0..shape(x)[1] { (h, c) = nn.lstm_cell(x[.., t, ..], h, c, w, u, b); } return h; }",
         {"x": (4, t, 5), "w": (5, 12), "u": (3, 12), "b": (12,)}, lstm, split=BY_ROWS)
    both(f"gru {t}", "op blank(x[n, t, i], d: int) -> [n, d] = sum[t, i] 0.0 * x; fn f(x, w, u, b, c) { var h = finish(blank(x, d = 3)); for t in 0..shape(x)[1] { h = nn.gru_cell(x[.., t, ..], h, w, u, b, c); } return h; }",
         {"x": (4, t, 5), "w": (5, 9), "u": (3, 9), "b": (9,), "c": (9,)}, gru, split=BY_ROWS)
    both(f"selective_scan {t}", "fn f(x, d, a, b, c, skip) { return nn.selective_scan(x, softplus(d), -exp(a), b, c, skip); }",
         {"x": (4, t, 3), "d": (4, t, 3), "a": (3, 2), "b": (4, t, 2), "c": (4, t, 2), "skip": (3,)},
         lambda x, d, a, b, c, skip: scanned(x, jax.nn.softplus(d), -jnp.exp(a), b, c, skip), split={k: "S(0)" for k in "xdbc"})
    names = "up filter shift mix time least rate skip down".split()
    both(f"mamba {t}", "struct Layer { " + ", ".join(f"{n} : FLOAT[{s}]" for n, s in zip(names, ("3, 8", "4, 3", "4", "4, 6", "2, 4", "4", "4, 2", "4", "4, 3"))) + " } fn f(x, "
         + ", ".join(names) + ") { return nn.mamba(x, Layer(" + ", ".join(f"{n} = {n}" for n in names) + ")); }",
         {"x": (4, t, 3), "up": (3, 8), "filter": (4, 3), "shift": (4,), "mix": (4, 6), "time": (2, 4), "least": (4,), "rate": (4, 2), "skip": (4,), "down": (4, 3)}, mamba,
         split=BY_ROWS)

# ---- CTC: all paths that spell the labels, one by one; chains of labels: all chains ----


def ctc(x, labels):
    def one(p, text):
        p, text = jax.nn.log_softmax(p), [int(l) for l in text]
        paths = [q for q in itertools.product(range(p.shape[1]), repeat=p.shape[0]) if [k for k, _ in itertools.groupby(q) if k] == text]
        return -jax.nn.logsumexp(jnp.stack([sum(p[t, k] for t, k in enumerate(q)) for q in paths]))
    return jnp.stack([one(p, text) for p, text in zip(x, labels)]).mean()


def chain(x, m, labels):
    def score(e, chain):
        return sum(e[t, c] for t, c in enumerate(chain)) + sum(m[a, b] for a, b in zip(chain, chain[1:]))

    def one(e, own):
        every = jnp.stack([score(e, q) for q in itertools.product(range(e.shape[1]), repeat=e.shape[0])])
        return jax.nn.logsumexp(every) - score(e, [int(l) for l in own])
    return jnp.stack([one(e, own) for e, own in zip(x, labels)]).mean()


both("ctc", "fn f(x, labels) { return finish(loss.ctc(x, labels)); }", {"x": (4, 4, 3)}, ctc, split={"x": "S(0)", "labels": "S(0)"},
     ints={"labels": np.array([[1, 2], [1, 1], [2, 1], [2, 2]], np.int32)}, jit=False)
for t in (1, 2, 4):
    both(f"crf {t}", "fn f(x, m, labels) { return finish(crf.nll(x, m, labels)); }", {"x": (4, t, 3), "m": (3, 3)}, chain, split={"x": "S(0)", "labels": "S(0)"},
         ints={"labels": np.random.default_rng(t).integers(0, 3, (4, t)).astype(np.int32)}, jit=False)

# ---- equations: dy/dt = y (1 - y), of which the end is known ----


def logistic(x):
    y = jax.nn.sigmoid(x)
    grown = y * jnp.exp(1.5)
    return grown / (1 - y + grown)


SLOPE = "fn slope(t, y) { return y * (1.0 - y); } "
both("rk4", SLOPE + "fn f(x) { return ode.rk4(slope, sigmoid(x), 0.0, 1.5, steps = 300); }", {"x": (4, 3)}, logistic, split=BY_ROWS, f32=False)
both("rk45", SLOPE + "fn f(x) { return ode.rk45(slope, sigmoid(x), 0.0, 1.5, rtol = 1e-11, atol = 1e-12); }", {"x": (4, 3)}, logistic, split=BY_ROWS, f32=False, order=1)

# ---- learning to learn: the loss after three steps down, by where they begin ----


def task(w, x, t):
    return ((jnp.tanh(x @ w) - t) ** 2).sum()


def learnt(w, x, t):
    def one(x, t):
        v = w
        for _ in range(3):
            v = v - 0.05 * jax.grad(task)(v, x, t)
        return task(v, x, t)
    return jax.vmap(one)(x, t).sum()


both("learning to learn", "fn task(w, x, t) { return sum(square(tanh(x @ w) - t)); } fn one(w, x, t) { var v = w; for k in 0..3 { v = v - 0.05 * grad(task, wrt = 0)(v, x, t); } return task(v, x, t); } "
     "fn f(w, x, t) { return finish(sum(vmap(one, over = (1, 2))(w, x, t))); }", {"w": (3, 2), "x": (4, 5, 3), "t": (4, 5, 2)}, learnt, split={"x": "S(0)", "t": "S(0)"})
