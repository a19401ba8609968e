#!/usr/bin/python3
"""Writes NAME.out for the programs whose values are known from elsewhere: computed here with numpy and torch, not by pmlc.

    /usr/bin/python3 expected.py [NAME...]

One function per program, in the order of its prints."""
import itertools
import sys
from pathlib import Path
import numpy as np
import torch
import torch.nn.functional as F

f32, f64, i32 = np.float32, np.float64, np.int32


def one(x):
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if isinstance(x, str):
        return x
    return "%.6g" % x


def text(x, depth=0, short=None):
    """As print writes it: of more than 1000 elements, dimensions longer than 10 show three at both ends."""
    if isinstance(x, torch.Tensor):
        x = x.detach().numpy()
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        return one(x.item() if isinstance(x, np.ndarray) else x)
    short = x.size > 1000 if short is None else short
    parts = [text(v, depth + 1, short) for v in x]
    if short and len(parts) > 10:
        parts = parts[:3] + ["..."] + parts[-3:]
    return "[" + (", " if x.ndim == 1 else ",\n" + " " * (depth + 1)).join(parts) + "]"


def show(*values):
    print(*[text(v) for v in values], file=out)


def upto(*shape, dtype=f32):
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


programs = {}


def program(f):
    programs[f.__name__] = f
    return f


def gradients(f, *args):
    """Value and gradients by all arguments, in double precision."""
    args = [torch.tensor(np.asarray(a), dtype=torch.float64, requires_grad=True) for a in args]
    y = f(*args)
    return y, *torch.autograd.grad(y, args, create_graph=True)


@program
def elementwise():
    a = np.arange(5, dtype=f64)
    b = a * 0.5 - 1
    t = torch.tensor(b)
    show("add", a + b, "sub", a - b, "mul", a * b, "div", b / (a + 1))
    show("add", a + b, "sub", a - b, "mul", a * b, "div", b / (a + 1))
    show("mod", np.fmod(a, 3), np.fmod(-a, 3), "neg", -b, -b, "pow", a**2, b**3, a**b)
    show("exp", np.exp(b), "ln", np.log(a + 1), "log", np.log(a + 1))
    show("sqrt", np.sqrt(a), "rsqrt", 1 / np.sqrt(a + 1), "square", b * b)
    show("tanh", np.tanh(b), "erf", torch.erf(t), "sin", np.sin(b), "cos", np.cos(b))
    show("abs", np.abs(b), "floor", np.floor(b), np.floor(-a / 4))
    show("sigmoid", torch.sigmoid(t), "relu", torch.relu(t), "silu", F.silu(t))
    show("gelu", F.gelu(t), "softplus", F.softplus(t))
    show("maximum", np.maximum(a, b), np.maximum(a, b), "minimum", np.minimum(a, b), np.minimum(a, b))
    show("clamp", np.clip(a, 1, 3), "where", np.where(a > 2, a, b))
    show("far", torch.sigmoid(t * 200), F.silu(t * 200), F.softplus(t * 200), torch.tanh(t * 200))
    show("edges", np.exp((a * 100).astype(f32)), np.log(a - 1), 1 / a)


@program
def comparisons():
    a, b = np.arange(6) % 4, np.arange(6) // 2
    for _ in range(2):
        show(a == b, a != b, a < b, a <= b, a > b, a >= b)
    c, d = a > 1, b < 2
    show(c & d, c | d, ~c, c & d, c | d, ~d)
    show(c == d, c != d, np.where(c, a, b), np.where(c & d, 1.5, 2.5))
    show(c.any(), c.all(), (c | d).all(), False, c.sum())
    m = upto(3, 4)
    show((m > 6).any(0), (m > 6).any(1), (m > 6).all(0), (m > 6).all(1))
    show((m % 5 == 0).any(0), (m % 5 == 0).any(1), (m < 9).all(0), (m < 9).all(1))
    show((m > 4).sum(), (m > 4).sum(0), (m > 4).sum(1), (m > 4).mean())
    show(m / 3 > 1, 1 <= m / 3, m == m)


@program
def reductions():
    m = (np.arange(12) * 7 % 12).astype(f64).reshape(3, 4) - 3.5
    for _ in range(3):
        show("sum", m.sum(), m.sum(0), m.sum(1), m.sum(1), m.sum(1), m.sum())
        show("prod", m.prod(), m.prod(0), m.prod(1))
        show("mean", m.mean(), m.mean(0), m.mean(1))
        show("max", m.max(), m.max(0), m.max(1))
        show("min", m.min(), m.min(0), m.min(1))
        show("variance", m.var(1), m.var(0))
        show("argmax", m.argmax(1), m.argmin(1), m.argmax(0), m.argmin(0))
    c = upto(2, 3, 4, dtype=f64)
    show("cube", c.sum(), c.sum(1), c.max(0), c.mean(), c.min(), c.prod(1))
    show("ties", 0, np.zeros(2), m.argmax(1), m.argmin(0))
    show("ints", 45, 9, 120)
    show("scalar", 3, 3, 3, 3)


@program
def products():
    a = upto(3, 5) - 7
    b = (np.arange(20) * 3 % 7).astype(f32).reshape(5, 4)
    show("whole", a @ b)
    show("rows", a @ b)
    show("columns", a @ b)
    show("inner", a @ b)
    show("part", a @ b, a @ b)
    show("named", a @ b)
    v = upto(5)
    show("vectors", a @ v, v @ b, v @ v, a @ v, v @ b, v @ v)
    show("outer", np.outer(v, upto(3)), a + v)
    s, t = upto(2, 3, 5), (np.arange(40) % 9).astype(f32).reshape(2, 5, 4)
    show("batched", s @ t, s @ b, s @ v)
    show("rows of batches", s @ t, s @ b)
    show("inner of batches", s @ t)
    show("f64", a @ b, "i32", a @ b)


@program
def shapes():
    s = upto(2, 3, 4)
    show("transpose", s.transpose(0, 2, 1), s[0].T)
    show("permute", s.transpose(2, 0, 1), s.transpose(1, 0, 2))
    show("reshape", s.reshape(6, 4), s.reshape(2, 12), s.reshape(1, 24, 1)[0, 5:8], s.reshape(2, 12))
    show("split reshape", s.reshape(2, 3, 2, 2), upto(12, 1))
    v = upto(3)
    show("broadcast", np.broadcast_to(v, (2, 3)), np.broadcast_to(v[:, None], (3, 2)))
    show("concat", np.concatenate([v, v * 10, v - 1]), np.concatenate([s[0], s[1, :1]]))
    show("concat", np.concatenate([s, s], 2), np.concatenate([s, s], 1))
    show("pad", np.pad(v, (1, 2)), np.pad(s[0], ((1, 0), (0, 0))), np.pad(s, ((0, 0), (0, 1), (0, 0))))
    show("made", np.full(3, 2.5), np.zeros(2), np.ones((2, 2), i32), np.arange(4), np.array([True, True]), np.array([7, 7]))
    show("sizes", np.array([2, 3, 4]), 3, 24, 3, np.array([2, 3, 4]), np.array([3]), 0)


@program
def casts():
    f = np.arange(6) * 0.75 - 1
    whole = f.astype(int)
    show("f", f, f, f, f, f)
    show("ints", whole, whole, whole, whole)
    show("unsigned", *[np.maximum(whole, 0)] * 4)
    show("bool", f != 0, (f > 0).astype(int), (f > 0).astype(int), np.arange(3) != 0)
    i = np.arange(5) * 100 - 200
    show("i64", i, i.astype(np.int8), i.astype(np.uint8), i, i, i / 3)
    show("far", np.clip(f * 1e10, -2**31, 2**31 - 1).astype(int), np.clip(f * 1000, -128, 127).astype(int),
         np.clip(f * 1000, 0, 255).astype(int))
    bf16 = torch.full((2,), 1 / 3).to(torch.bfloat16).to(torch.float32)
    # As many digits as the type has: 3, 4, 15.
    show("third", *["[" + ", ".join(["%.*g" % (digits, float(x))] * 2) + "]"
                    for digits, x in ((3, bf16[0]), (4, np.float16(1 / 3)), (15, 1 / 3))])
    show("host", 3, -3, 3, 2, 1 / 3, 0.1)
    show("float", "[0.1, 0.2]", 0, "f64", "f32", "true")
    show("f32", "i64", "f16", "bool")


@program
def casts_at_limits():
    limits = [0.0, 0.5, 1.0, 127.0, 127.75, 128.0, 129.0, 254.5, 255.0, 256.0, 32767.0, 32768.0, 65504.0, 65535.0, 65536.0, 2147483520.0,
              2147483647.0, 2147483648.0, 4294967040.0, 4294967295.0, 4294967296.0, 9223371487098961920.0, 9223372036854775808.0,
              18446742974197923840.0, 18446744073709551616.0]
    x = torch.tensor([*limits, *[-v for v in limits], np.inf, -np.inf, np.nan], dtype=torch.float64)

    def whole(v, least, most):
        return 0 if v != v else int(min(max(v, float(least)), float(most + 1))) if abs(v) == np.inf else int(v)

    def limited(values, bits, signed):
        least, most = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return "[" + ", ".join(str(min(max(whole(v, least, most), least), most)) for v in values) + "]"
    for name, kind in (("f64", torch.float64), ("f32", torch.float32), ("bf16", torch.bfloat16), ("f16", torch.float16)):
        values = x.to(torch.float32 if kind != torch.float64 else kind).to(kind).double().tolist()
        show(name, *[limited(values, bits, signed) for bits in (8, 16) for signed in (True, False)])
        show(name, *[limited(values, bits, signed) for bits in (32, 64) for signed in (True, False)], np.array(values) != 0)
    show(x.to(torch.float32).to(torch.float16).to(torch.float32).to(torch.bfloat16).double())


@program
def positions():
    x = np.arange(32, dtype=f32).reshape(8, 4)
    k = np.array([1, 10, 100], dtype=f32)

    def window(k, before):
        padded = np.pad(x, ((0, 0), (before, len(k))))
        return sum(k[w] * padded[:, w:w + 4] for w in range(len(k)))

    show(window(k, 2), window(k, 1), window(k[:2], 1))
    show(window(k, 2))
    y = (np.arange(96) * 37 % 96).reshape(4, 4, 6).astype(f32)
    show(y.reshape(4, 24).argmax(1), y.transpose(0, 2, 1).reshape(4, 24).argmin(1), y.argmax(), np.zeros(4, dtype=i32))
    m = np.arange(3)
    show((((y.reshape(4, 1, 24) - 20 * m[:, None]) ** 2) * k[:, None]).argmin(2))
    pairs, j = 4 * np.arange(4) + 1, np.arange(7)
    show(pairs, pairs, np.where(j > 0, 111 * j + 210 + 3 * (j - 1), 0))
    j = np.arange(8)
    show(110 * j + 100, 110 * j + 100)


@program
def integers():
    i = np.arange(7, dtype=i32) - 3
    show(i + i, i * 3 - 7, i // 2, np.fmod(i, 2), -i, np.abs(i))
    show(7 // (i * 2 + 1), 3, -3, 0, np.prod(i + 4), 0)
    u = np.arange(6, dtype=np.uint8)
    show(u + np.uint8(254), u * np.uint8(100), u - np.uint8(1), u // 2, 5, 15)
    l = np.arange(4) * 4000000000
    show(l, l.sum(), l // 7, l % 7, np.maximum(l, 5000000000))
    w = np.arange(4, dtype=np.uint64)
    show(w - np.uint64(1), (w - np.uint64(1)).max(), w.astype(f64))
    show(np.maximum(i, 1), np.minimum(i, 1), np.clip(i, -1, 2), np.abs(i))
    show(i // -2, i // (2 * i + 1), 0 * i)
    show(np.arange(4, dtype=np.int16) * np.int16(20000), np.arange(4, dtype=np.int8) * np.int8(50), i * i)


@program
def indexing():
    m = upto(2, 3, 4)
    for _ in range(4):
        show(m[0, 1], m[1, 2, 3], m[-1, -1, -1], m[..., 2], m[0, ..., 1], m[1])
        show(m[0, 0:2, 1:3], m[1, ..., 2:4], m[0, 1, 1:], m[0, 1, :2], m[..., 1:2], m[0:1, 2, -3:-1])
    r = upto(10)
    show(r[2:7], r[3], r[-2], r[5:], r[:3], r[2:2], r)
    t, at = upto(4, 3), np.arange(5) * 3 % 4
    show(t[at], t[at, 1], t[np.arange(2) + 1, 0:2])
    show(t[2], t[1, 2])
    show(t[:, 0].sum())


@program
def broadcasting():
    m, row, column = upto(3, 4), upto(4) * 100, upto(3, 1) * 10
    show(m + row, row + m, m * column, column - row)
    show(m + 1, 2 - m, m * 3, -m)
    show(m > row, np.where(column > 5, m, row), np.maximum(m, column))
    c = upto(2, 3, 4)
    show(c + m, c * row, c - column)
    one = upto(2, 1, 1)
    show(one + m, one * column)
    show(m)
    show(m / 600, 600 - row, 1200)
    show(m + row, m + row, m * column)


@program
def tables():
    t, i = upto(5, 3), np.arange(6) * 7 % 5
    show("embed", *[t[i]] * 4)
    show("embed of a matrix", t[i.reshape(2, 3)])

    def within(k):
        return np.where(((k >= 0) & (k < 5))[:, None], t[np.clip(k, 0, 4)], 0)

    show("beyond", within(i + 3), within(i - 2))
    s = (np.arange(18) * 5 % 11).reshape(6, 3)
    picked = np.array([s[k, i[k]] if i[k] < 3 else 0 for k in range(6)])
    show("pick", picked, picked, picked)
    u, added = upto(6, 2), np.zeros((5, 2))
    np.add.at(added, i, u)
    show("scatter", added, added, added)
    hot = (i[:, None] == np.arange(5)).astype(int)
    show("one_hot", hot, hot[:, :4])
    show("counts", hot.sum(0)[:, None], hot.sum(0))
    show("argmax", s.argmax(1), s.argmax(1), s.argmin(1), s.argmax(0))


@program
def images():
    x = torch.tensor((np.arange(100) * 7 % 13).reshape(2, 2, 5, 5), dtype=torch.float64)
    w = torch.tensor((np.arange(54) * 5 % 7).reshape(3, 2, 3, 3), dtype=torch.float64) - 3
    for _ in range(3):
        show("conv", F.conv2d(x, w))
        show("strided", F.conv2d(x, w, stride=2, padding=1))
        show("padded", F.conv2d(x, w, padding=2)[1, 2])
    show("max", F.max_pool2d(x, 2), F.max_pool2d(x, 3, 1), F.max_pool2d(x, 3, 2))
    show("mean", F.avg_pool2d(x, 2), F.avg_pool2d(x, 3, 1), F.avg_pool2d(x, 5))
    show("inner", F.conv2d(x, w)[0, 0])


@program
def normalisation():
    x = torch.tensor((np.arange(20) * 7 % 11).reshape(4, 5) * 0.5 - 2)
    show("softmax", x.softmax(1), x.softmax(1), x.softmax(0))
    show("log_softmax", x.log_softmax(1), x.log_softmax(1), x.log_softmax(0))
    show("logsumexp", x.logsumexp(1), x.logsumexp(1), x.logsumexp(0))
    show("far", (x * 200).softmax(1), (x * 1000).logsumexp(1))
    show("variance", x.var(1, unbiased=False), x.var(0, unbiased=False), x.var(1, unbiased=False))
    scale, shift = torch.arange(5) * 0.1 + 1, torch.arange(5) * 0.01
    y = F.layer_norm(x, (5,)) * scale + shift
    show("layernorm", y, y)
    y = x / (x * x).mean(1, keepdim=True).add(1e-5).sqrt() * scale
    show("rmsnorm", y, y)
    show("split", x.softmax(1))


@program
def products_of_halves():
    def whole(n, m, *shape):
        return (np.arange(n) * m % 13).reshape(shape) - 6

    show("whole", 0, 0, (whole(48 * 80, 5, 48, 80) @ whole(80 * 64, 7, 80, 64)).max())
    show("rows", 0)
    show("columns", 0)
    show("transposed", 0, 0)
    show("scaled", 0, 0)
    show("a row", 0, 0)
    show("batched", 0)
    show("windows", 0, 0)
    show("gradient", 0)


@program
def losses():
    x = (np.arange(18) * 7 % 11).reshape(6, 3) * 0.5 - 2
    t = torch.arange(6) * 2 % 3
    y = torch.arange(18, dtype=torch.float64).reshape(6, 3) / 18
    show("cross entropy", *gradients(lambda x: F.cross_entropy(x, t), x))
    show("mse", *gradients(lambda x: F.mse_loss(x, y), x))
    show("binary", *gradients(lambda x: F.binary_cross_entropy_with_logits(x, y), x))
    right = x.argmax(1) == t.numpy()
    show("metrics", right.sum(), right.mean())
    show("linear", *gradients(lambda x, w, b: ((x @ w + b) ** 2).sum(), x, np.arange(6.0).reshape(3, 2) * 0.5, np.arange(2.0))[1:])
    show("fans", 3, 5, 36, 72, 7)


@program
def notation():
    a, b = upto(3, 4) - 5, (np.arange(20) * 3 % 7).astype(f32).reshape(4, 5)
    show("products", a @ b, a @ b)
    show("views", a.T, a.max(1), a.min(0), (a * a).sum())
    show("diagonals", a.diagonal(), a @ a.T, (a @ a.T).trace())
    v = upto(9)
    show("windows", np.append(v[0:6:2] + v[1:6:2], 0), v[::-1], np.concatenate([v[:6] + v[3:], np.zeros(3)]))
    p3 = a[:, :, None] * b
    show("kinds", p3.mean(1), a.argmax(1), (a > 0).sum(), a.prod(0), (a > 4).any(1), (a > 0).all(1))
    i, j = np.indices((3, 4))
    show("positions", 10 * i + j, b * 2, np.where(j <= i, a, -1))
    show("nested", np.exp(a.sum(1)) + np.maximum(a.max(1), 0))
    n = np.array([3, 1, 2])
    show("choices", n * (n > 1), "i32", a[:, 1] * np.where(n > 1, 1, -1), np.array([0.3, 0, 4]), "f64", "i32", np.array([4, 2, 4]), True)


@program
def own_ops():
    x = np.arange(5.0) - 2
    show("cube", x**3, *gradients(lambda x: (x**3).sum(), x))
    a, b = np.arange(6.0).reshape(3, 2), np.arange(8.0).reshape(4, 2) * 0.5

    def distance(a, b):
        return ((a[:, None] - b) ** 2).sum(2)

    show("distance", distance(a, b), *gradients(lambda a, b: distance(a, b).sum(), a, b)[1:])
    i = [0, 2, 0]
    g = gradients(lambda b: (b[i] ** 3).sum(), b)[1]
    show("lookup", b[i], g, g, g)
    v, w = np.arange(6.0) * 0.5, np.arange(3.0) - 0.5

    def smooth(v, w):
        return F.conv1d(v[None, None], w[None, None])[0, 0]

    show("smooth", smooth(torch.tensor(v), torch.tensor(w)), *gradients(lambda v, w: (smooth(v, w) ** 3).sum(), v, w)[1:])
    m = np.arange(9.0).reshape(3, 3) + 1
    show("causal", np.tril(m), *gradients(lambda m: (m.tril() ** 3).sum(), m)[1:])
    t = torch.tensor(x)
    show("huber", F.huber_loss(t, t * 0, delta=1.5, reduction="none"),
         *gradients(lambda x: F.huber_loss(x, t * 0, delta=1.5, reduction="sum"), x)[1:])
    t = upto(2, 3, 4, dtype=f64) * 0.1
    third = "ijk,k,j->i"
    b, c = np.arange(4.0), np.arange(3.0)
    show("third", np.einsum(third, t, b, c), *gradients(lambda a, b, c: (torch.einsum(third, a, b, c) ** 2).sum(), t, b, c)[1:])
    show("position", upto(2, 3), x / (1 + abs(x)))


@program
def grad_elementwise():
    x = np.arange(5) * 0.5 - 1

    def both(name, f, second=True):
        g = gradients(lambda x: f(x).sum(), x)[1]
        h = gradients(lambda x: gradients_of(f, x).sum(), x)[1] if second else None
        show(name, *([g] if h is None else [g, h]))

    def gradients_of(f, x):
        return torch.autograd.grad(f(x).sum(), x, create_graph=True)[0]

    both("exp", torch.exp)
    both("ln", lambda x: torch.log(x + 3))
    both("sqrt", lambda x: torch.sqrt(x + 3))
    both("rsqrt", lambda x: torch.rsqrt(x + 3))
    both("tanh", torch.tanh)
    both("erf", torch.erf)
    both("sin", lambda x: torch.sin(x) * torch.cos(x))
    both("abs", lambda x: torch.abs(x) * x)
    both("square", lambda x: x**3)
    both("sigmoid", torch.sigmoid)
    both("relu", lambda x: torch.relu(x) * x)
    both("silu", F.silu)
    both("gelu", F.gelu)
    both("softplus", lambda x: torch.logaddexp(x, x * 0))
    both("div", lambda x: x / (x + 3))
    both("pow", lambda x: (x + 3) ** 2.5 + x**3)
    both("base", lambda x: 2**x)
    both("max", lambda x: torch.maximum(x * x, x) - torch.clamp(x, max=0.7))
    both("where", lambda x: torch.where(x > 0, x * x, torch.sin(x)))
    # sigmoid, silu and softplus of 1000 x: flat or a slope of 1000 but at 0.
    show("far", np.array([0, 0, 1250, 2000, 2000]), np.array([0, 0, 750000, 0, 0]))
    both("floor", lambda x: torch.floor(x).detach() * x + torch.fmod(x, 0.7), second=False)


@program
def grad_tensors():
    def weighed(y):
        return (y * (torch.arange(y.numel()) % 5 + 1).reshape(y.shape)).sum()

    def dtensor(x):
        return torch.tensor(x, dtype=torch.float64)

    a = (np.arange(12) * 5 % 12).reshape(3, 4) * 0.5 - 2.25
    b, v = np.arange(8).reshape(4, 2) * 0.25, np.arange(4) - 1.0
    g = gradients(lambda a, b: weighed(a @ b), a, b)[1:]
    show("product", *g, *g)
    show("batched", *gradients(lambda a, b: weighed(a @ b), upto(2, 3, 4) * 0.1, upto(2, 4, 2) * 0.1)[1:])
    show("vectors", *gradients(lambda a, v: weighed(a @ v) + v @ v, a, v)[1:])
    reduced = gradients(lambda a: weighed((a * a).sum(0)) + weighed((a * a).mean(1)) + a.prod(1)[1], a)[1]
    extrema = gradients(lambda a: weighed(a.max(1)[0]) + weighed(a.min(0)[0]) + 3 * a.max(), a)[1]
    show("reduced", reduced, "extrema", extrema, "products", gradients(lambda a: weighed(a.prod(0)), a)[1])
    viewed = gradients(lambda a: 2 * weighed(a.T) + weighed(a.reshape(2, 6)), a)[1]
    sliced = gradients(lambda a: weighed(a[1:3, :2]) + weighed(a[0]) + weighed(a[:, -1]) + a[2, 2], a)[1]
    joined = gradients(lambda a: weighed(torch.cat([a, a * a])) + weighed(F.pad(a, (1, 2))), a)[1]
    show("viewed", viewed, "sliced", sliced, "joined", joined)
    show("spread", gradients(lambda v: 2 * weighed(v.expand(3, 4)) + weighed(torch.outer(v, v)), v)[1])
    i, five = [0, 2, 1, 0], np.arange(15).reshape(5, 3) * 0.5
    table = gradients(lambda t: weighed(t[i] * t[i]), five)[1]
    added = gradients(lambda u: weighed(torch.zeros(3, 2, dtype=torch.float64).index_add(0, torch.tensor(i), u) ** 2), b)[1]
    picked = gradients(lambda t: weighed((t * t)[range(4), i]), five[:4])[1]
    show("tables", table, added, picked)

    def normed(a, g, h):
        return weighed(F.layer_norm(a, (4,)) * g + h) + weighed(a / (a * a).mean(1, keepdim=True).add(1e-5).sqrt() * g) + weighed(
            a.var(1, unbiased=False))

    soft = gradients(lambda a: weighed(a.softmax(1)) + weighed(a.log_softmax(1)) + weighed(a.logsumexp(1)), a)[1]
    show("normed", soft, *gradients(normed, a, v, v)[1:])
    x, w = (np.arange(64) * 7 % 13).reshape(2, 2, 4, 4), (np.arange(36) * 5 % 7).reshape(2, 2, 3, 3) - 3

    def conv(x, w):
        return weighed(F.conv2d(x, w, padding=1)) + weighed(F.conv2d(x, w, stride=2, padding=1))

    def pooled(x):
        """Equal maxima share the gradient, unlike torch's max_pool2d."""
        windows = x.unfold(2, 2, 2).unfold(3, 2, 2)
        return weighed(windows.amax((4, 5))) + weighed(F.avg_pool2d(x, 3, 1))

    show("images", *gradients(conv, x, w)[1:], gradients(pooled, x)[1])
    show("cast", gradients(lambda a: weighed(a * a * 0.1), a)[1])


@program
def structs():
    x = torch.arange(8, dtype=torch.float64).reshape(2, 4)

    def full(value, *shape):
        return torch.full(shape, value, dtype=torch.float64, requires_grad=True)

    w, b, v, c = full(0.5, 4, 4), full(0, 4), full(0.5, 4, 2), full(0, 2)
    many = [(full(0.1, 4, 4), full(1, 4)) for _ in range(3)]
    params = [w, b, *[t for pair in many for t in pair], v, c]

    def forward():
        y = x @ w + b
        for m, k in many:
            y = y @ m + k
        return y @ v + c

    show(forward())
    g = torch.autograd.grad(forward().sum(), params)
    show(forward().sum(), g[1], g[8], g[5], g[6])
    show(np.array([4, 4]), many[1][1])
    with torch.no_grad():
        for t, d in zip(params, g):
            t -= 0.01 * d
        show(len(params), forward().sum(), b, many[2][1])
        show(np.full(2, 2), np.full((1, 2), 0.5), many[0][1], many[1][1] * 2)


@program
def partials():
    m = (np.arange(15) * 7 % 11).astype(f64).reshape(3, 5) - 4
    s = m.sum(0)
    show("sum", s, s, s + s, -2 * s, s + 1, 1.75 * s, -s, s.sum())
    x = m.max(0)
    show("max", x, x, x + 1, np.exp(x - 2) + 1, -x, x + 1, x.max(), np.maximum(x, 0))
    n = m.min(0)
    show("min", n, n, n, np.tanh(n), -n, n.min())
    q = m.prod(0)
    show("prod", q, q, q * q, abs(q), q.prod())
    show("made", m, m, m, m, m)
    show("ints", s.astype(int), x.astype(int), m.clip(0).min(0).astype(int), (m + 5).prod(0).astype(int))
    show("wide", s, x, n, s)
    show("bools", (m > 5).any(0), (m > -4).all(0), True, (m > 0).sum(0))
    show("joined", np.concatenate([s, 2 * s]), s[1:4], upto(2, 3, 2).sum(0).T)
    show("where", np.where(m[0] > 0, s, 0), np.stack([s, s], 1))


@program
def moves():
    x = upto(3, 5) + 1
    show(*[120] * 7, 15, 120, 1, 120, 120, x.astype(f64).prod(), 120, 120)
    show(x, x, x, x)
    show(x, x)
    v = np.arange(3)
    show(v, v > 0, v, v)


@program
def uneven():
    def full(value, *shape):
        return torch.full(shape, value, dtype=torch.float64, requires_grad=True)

    x = torch.tensor((np.arange(77) % 13).reshape(11, 7) * 0.1)
    params = full(0.1, 7, 5), full(0.2, 5), full(0.3, 5, 3), full(0, 3)

    def loss():
        w1, c1, w2, c2 = params
        return ((torch.tanh(x @ w1 + c1) @ w2 + c2) ** 2).mean()

    g = torch.autograd.grad(loss(), params)
    show(loss(), *g)
    show(loss(), *g)
    with torch.no_grad():
        for t, d in zip(params, g):
            t -= 0.5 * d
        show(loss(), params[0], params[3])
    show(x[3:10], x.sum(0), x, x.argmax(1))


@program
def optim():
    w = torch.full((3, 2), 0.5, dtype=torch.float64, requires_grad=True)
    b = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    x = torch.arange(12, dtype=torch.float64).reshape(4, 3) * 0.1
    t = (torch.arange(8) % 3).reshape(4, 2).double()
    plain = torch.optim.SGD([w, b], lr=0.1)
    momentum = torch.optim.SGD([w, b], lr=0.05, momentum=0.9, weight_decay=0.01)
    for step in range(7):
        optimizer = plain if step < 3 else momentum
        optimizer.zero_grad()
        loss = F.mse_loss(x @ w + b, t)
        loss.backward()
        optimizer.step()
        show("plain" if step < 3 else "momentum", loss, w, b)


@program
def optimizers():
    def param(shape, value):
        return torch.full(shape, value, dtype=torch.float64, requires_grad=True)

    params = w, b, v = param((3, 2), 0.5), param((2,), 0.0), param((2, 2), -0.25)
    x = torch.arange(12, dtype=torch.float64).reshape(4, 3) * 0.1
    t = (torch.arange(8) % 3).reshape(4, 2).double()

    def loss():
        return F.mse_loss(torch.tanh(x @ w + b) @ v, t)

    def cosine(i, lr=0.1, total=5, warmup=2, least=0.0):
        share = 0.5 + 0.5 * np.cos(np.pi * min(1, max(0, (i - warmup) / (total - warmup))))
        return (least + (lr - least) * share) * min(1, (i + 1) / warmup)

    adamw = torch.optim.AdamW(params, lr=0.1, weight_decay=0.01)
    for i in range(3):
        adamw.zero_grad()
        y = loss()
        y.backward()
        norm = torch.nn.utils.clip_grad_norm_(params, 0.5)
        show("adamw", y, norm, min(norm.item(), 0.5))
        adamw.param_groups[0]["lr"] = cosine(i)
        adamw.step()
    # Adam goes on with the moments and the number of steps that AdamW has made.
    adam = torch.optim.Adam(params, lr=0.02, weight_decay=0.1)
    adam.load_state_dict({"state": adamw.state_dict()["state"], "param_groups": adam.state_dict()["param_groups"]})
    for i in range(3):
        adam.zero_grad()
        y = loss()
        (1.5 * y).backward()
        show("adam", y)
        adam.step()
    m = [torch.zeros_like(q) for q in params]
    for i in range(3):
        y = loss()
        show("lion", y)
        for k, (q, d) in enumerate(zip(params, torch.autograd.grad(y, params))):
            with torch.no_grad():
                q -= 0.01 * (torch.sign(0.9 * m[k] + 0.1 * d) + 0.1 * q)
            m[k] = 0.99 * m[k] + 0.01 * d
    show(w, b, v)
    for i in range(6):
        straight = 0.1 * (1 - min(1, max(0, (i - 2) / 3))) * min(1, (i + 1) / 2)
        show(cosine(i, least=0.01), straight, 0.1 * 0.1 ** (i // 2))
    show(np.array([-1.0, 0, 1]), np.ceil(np.arange(4) * 0.5 - 0.75), np.array([-0.1, 0, 1]))
    g = torch.arange(5, dtype=torch.float64) - 2
    show(0.5 * g * (1 + torch.tanh(np.sqrt(2 / np.pi) * (g + 0.044715 * g**3))))


def scaled_ramp(shape, a):
    n = int(np.prod(shape))
    return torch.tensor(((np.arange(n) * a % 23).reshape(shape) - 11.0) * 0.1)


@program
def experts():
    gate, up, down = [torch.ones(s, dtype=torch.float64, requires_grad=True) for s in ((5, 4), (4, 5, 3), (4, 3, 5))]
    x = torch.tensor((np.arange(120) * 13 % 29 * 0.1 + np.arange(120) * 0.003).reshape(4, 6, 5) - 1.4)
    p = torch.softmax(x @ (gate * scaled_ramp((5, 4), 7)), -1)
    best, choice = torch.sort(p, dim=-1, descending=True, stable=True)
    share = best[..., :2] / best[..., :2].sum(-1, keepdim=True)
    table, y = np.full((4, 4, 3), -1), torch.zeros(4, 6, 5, dtype=torch.float64)
    for g in range(4):
        rows = [[0] * 5 for _ in range(6)]
        for j in range(2):
            for t in range(6):
                e = int(choice[g, t, j])
                free = np.flatnonzero(table[g, e] < 0)
                if len(free):
                    table[g, e, free[0]] = t
                    h = F.gelu(x[g, t] @ (up * scaled_ramp((4, 5, 3), 5))[e])
                    rows[t] = rows[t] + [share[g, t, j] * (h @ (down * scaled_ramp((4, 3, 5), 3))[e])]
        y[g] = torch.stack([sum(r[5:], torch.zeros(5, dtype=torch.float64)) for r in rows])
    first = F.one_hot(choice[..., 0], 4).double().mean((0, 1))
    balance = 4 * (first * p.mean((0, 1))).sum()
    show(table.reshape(4, 12).astype(i32), balance)
    show(y)
    loss = (y * y).mean() + 0.1 * balance
    show(loss, *torch.autograd.grad(loss, (gate, up, down)))


@program
def images_nn():
    shapes = (4, 2, 3, 3), (4,), (6, 4, 3, 3), (6,), (6,)
    params = [torch.ones(s, dtype=torch.float64, requires_grad=True) for s in shapes]
    k1, b, k2, scale, shift = [w * scaled_ramp(s, a) for w, s, a in zip(params, shapes, (7, 5, 3, 2, 5))]
    x = torch.tensor((np.arange(216) * 13 % 29).reshape(3, 2, 6, 6) * 0.1 - 1.4)
    h = F.conv2d(F.conv2d(x, k1, b, padding=1), k2, padding=1, stride=2)
    y = F.silu(F.group_norm(h, 3, scale, shift)).mean((2, 3))
    loss = (y * y).mean()
    g = torch.autograd.grad(loss, params)
    show(y)
    show(loss, g[0][1], g[1], g[2][5, 2], g[3], g[4])


@program
def training():
    w = torch.full((5, 7), 0.5, dtype=torch.float64, requires_grad=True)
    x = torch.tensor((np.arange(40) * 13 % 29).reshape(8, 5) * 0.1 - 1.4)
    t = torch.tensor(np.arange(8) * 3 % 7)

    def smooth(x):
        return F.cross_entropy(x @ (w * scaled_ramp((5, 7), 7)), t, label_smoothing=0.1)

    loss = smooth(x)
    show("smoothing", loss, torch.autograd.grad(loss, w)[0])
    hits = (x.topk(2).indices == (t % 5)[:, None]).any(-1).double().mean()
    show(x[t % 4], hits, loss.exp(), loss / np.log(2))
    grad = sum(torch.autograd.grad(smooth(x * (i * 0.5 + 1)), w)[0] for i in range(4)) / 4
    show("accumulated", w - 0.5 * grad, 0.025)
    y = torch.arange(6, dtype=torch.float64) - 2.5
    # With a constant gradient, however small, Adam's steps are lr * sign.
    show((1 - 0.625 * torch.sign(y)), (1 - 0.625 * torch.sign(y)))


@program
def nn_layers():
    def ramp(*shape, step):
        return torch.tensor((np.arange(int(np.prod(shape))) * step % 13).reshape(shape) * 0.1 - 0.5, requires_grad=True)

    def attention(q, k, v, causal=True):
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], dim=1) for x in (k, v))
        s = q @ k.transpose(2, 3) / np.sqrt(q.shape[3])
        if causal:
            s = s.masked_fill(torch.ones(s.shape[2:]).triu(1 + s.shape[3] - s.shape[2]).bool(), -1e30)
        return s.softmax(3) @ v

    def rotary(x, base=10000.0, first=0):
        t, e = x.shape[2:]
        angle = (torch.arange(t).double() + first)[:, None] * base ** (-torch.arange(e // 2).double() / (e // 2))
        a, b = x[..., :e // 2], x[..., e // 2:]
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], 3)

    q, k, v = ramp(2, 4, 5, 6, step=3), ramp(2, 4, 5, 6, step=5), ramp(2, 4, 5, 6, step=7)
    few, longer = ramp(2, 2, 5, 6, step=7), ramp(2, 4, 7, 6, step=5)
    show("causal", attention(q, k, v).sum(3))
    show("full", attention(q, k, v, False).sum(3))
    show("grouped", attention(q, few, few * 2).sum(3))
    show("longer", attention(q, longer, longer).sum(3))
    show("rotary", rotary(q).sum(1), rotary(q, 100.0, 3).sum(1))
    x = ramp(2, 5, 6, step=2)
    w, up, gate, b = ramp(4, 6, 3, step=5), ramp(6, 8, step=3), ramp(6, 8, step=4), ramp(8, step=2)
    down, c = ramp(8, 6, step=7), ramp(6, step=1)
    h = torch.einsum("ntd,hdk->nhtk", x, w)
    l = (attention(h, h * 0.5, h) ** 2).sum()
    show("attention", l, *torch.autograd.grad(l, (w,)))
    l = ((F.gelu(x @ up + b) @ down + c) ** 2).sum()
    show("mlp", l, *torch.autograd.grad(l, (up, b, down, c)))
    l = (((F.silu(x @ gate) * (x @ up)) @ down) ** 2).sum()
    show("swiglu", l, *torch.autograd.grad(l, (gate, up, down)))


@program
def attention():
    def full(value, *shape):
        return torch.full(shape, value, dtype=torch.float64, requires_grad=True)

    def ramp(w):
        return w * (1 + (torch.arange(w.numel()) * 7 % 11).reshape(w.shape) * 0.1)

    shapes = {"q": (0.1, 4, 8, 2), "k": (0.2, 4, 8, 2), "v": (0.3, 4, 8, 2), "o": (0.05, 4, 2, 8), "scale": (1, 8), "shift": (0, 8),
              "up": (0.02, 8, 16), "down": (0.03, 16, 8)}
    blocks = [{name: full(*shape) for name, shape in shapes.items()} for _ in range(2)]

    def attend(x, b):
        q, k, v = (torch.einsum("ntd,hde->hnte", x, ramp(b[name])) for name in "qkv")
        s = torch.einsum("hnte,hnue->hntu", q, k) / 1.5
        s = s.masked_fill(torch.ones(5, 5).triu(1).bool(), -1e30)
        return torch.einsum("hntu,hnue,hed->ntd", s.softmax(3), v, ramp(b["o"]))

    def forward(x):
        for b in blocks:
            x = x + attend(F.layer_norm(x, (8,)) * b["scale"] + b["shift"], b)
            r = x / (x * x).mean(2, keepdim=True).add(1e-5).sqrt() * b["scale"]
            x = x + F.gelu(r @ ramp(b["up"])) @ ramp(b["down"])
        return x

    x = torch.tensor((np.arange(80) * 5 % 17).reshape(2, 5, 8) * 0.1)
    y = forward(x)
    show(y[0], y[1, 4])
    loss = (y * y).mean()
    loss.backward()
    g = [{name: t.grad for name, t in b.items()} for b in blocks]
    show(loss, (g[0]["q"] ** 2).sum(), g[1]["scale"], g[0]["shift"], g[1]["o"][3])
    show(g[0]["up"][0], g[1]["down"][:, 7], g[0]["k"][2])


@program
def attention_long():
    n = 1501

    def ramp(heads, step):
        x = (np.arange(heads * n * 3) * step % 1009).reshape(1, heads, n, 3) / 250 - 2
        return torch.tensor(x, requires_grad=True)

    def attend(q, k, v, causal, window):
        k, v = (x.repeat_interleave(2, dim=1) for x in (k, v))
        far = torch.arange(n)[None] - torch.arange(n)[:, None]
        hidden = (far > (0 if causal else n)) | (far <= -(window or n))
        return (q @ k.transpose(2, 3) / np.sqrt(3)).masked_fill(hidden, -1e30).softmax(3) @ v

    q, k, v = ramp(4, 37), ramp(2, 41), ramp(2, 43)
    for name, causal, window in ("causal", True, 0), ("full", False, 0), ("window", True, 600):
        o = attend(q, k, v, causal, window)
        l = (o * o * (o + 1)).sum()
        show(name, l, *(x[0][:, [0, 770, 771, n - 1]] for x in (o, *torch.autograd.grad(l, (q, k, v)))))


@program
def convnet():
    import gzip
    rows = np.loadtxt(gzip.open("../../examples/data/digits.csv.gz"), delimiter=",")

    def ramp(w):
        return w * (((torch.arange(w.numel()) * 7 % 11).reshape(w.shape) - 5.03) * 0.4)

    k1, k2, w, b = params = [torch.full(s, v, dtype=torch.float64, requires_grad=True) for s, v in
                             [((4, 1, 3, 3), 0.1), ((6, 4, 3, 3), 0.1), ((24, 10), 0.1), ((10,), 0)]]

    def pool(x):
        return x.unfold(2, 2, 2).unfold(3, 2, 2).amax((4, 5))

    for step in range(6):
        x = torch.tensor(rows[10 * step:10 * step + 10, :64]) / 16
        t = torch.tensor(rows[10 * step:10 * step + 10, 64]).long()
        h = pool(F.relu(F.conv2d(x.reshape(10, 1, 8, 8), ramp(k1), padding=1)))
        g = pool(F.relu(F.conv2d(h, ramp(k2), padding=1)))
        loss = F.cross_entropy(g.reshape(10, 24) @ ramp(w) + b, t)
        with torch.no_grad():
            for q, d in zip(params, torch.autograd.grad(loss, params)):
                q -= 0.3 * d
        show(step, loss, (k1**2).sum(), (w**2).sum(), b[3])


@program
def readers():
    import gzip
    rows = np.loadtxt(gzip.open("../../examples/data/digits.csv.gz"), delimiter=",")
    x, t = rows[:, :64], rows[:, 64].astype(int)
    show("csv", x[:4].sum(), t[:4])
    show("csv", x[4:8].sum(), t[4:8])
    show(2, len(rows), 10)
    y = x[5:8, 8:].reshape(3, 7, 8)
    show("narrow", x[5:8, :8].astype(int), y.sum(0)[0], t[5:8])
    folder = "/usr/share/datasets/fashion-mnist/t10k-"
    pixels = np.frombuffer(gzip.open(folder + "images-idx3-ubyte.gz").read(), np.uint8, offset=16).reshape(-1, 28, 28).astype(int)
    labels = np.frombuffer(gzip.open(folder + "labels-idx1-ubyte.gz").read(), np.uint8, offset=8).astype(int)
    for k in (7, 13):
        show("idx", pixels[k:k + 6].sum(), pixels[k:k + 6].sum(0)[14, 9:14], labels[k:k + 6])
    show("shuffled", (t[:10] ** 2).sum())
    show("joined", t[4:10], t[4:10], 0)


@program
def batch_loops():
    import gzip
    rows = np.loadtxt(gzip.open("../../examples/data/digits.csv.gz"), delimiter=",").astype(int)
    x, t = rows[:, :64], rows[:, 64]

    def digest(v):
        return ((v * (np.arange(v.shape[1]) + 3)).sum(1) * (np.arange(len(v)) + 1)).sum()

    for k in range(0, 40, 20):
        show("outer", digest(x[k:k + 20]))
        for i in range(6):
            at = 60 + i % 4 * 7
            show("inner", digest(x[at:at + 7]), t[k:k + 20].sum())
        show("again", digest(x[k:k + 20]), x[k:k + 20].sum(), (t[k:k + 20] * (np.arange(20) + 1)).sum())
    before = 0
    for k in range(100, 130, 5):
        show("difference", digest(x[k:k + 5] - before))
        before = x[k:k + 5]
    for epoch in range(3):
        for i in range(3):
            show("pass", epoch, t[:12].sum() * (epoch * 3 + i + 1))
        show("one", digest(x[3:16]))
    for i in range(9):
        now = x[200 + 10 * i:210 + 10 * i]
        if i % 3 == 0:
            show("third", digest(now))
        elif i % 3 == 1:
            show("columns", now.sum())


@program
def grid():
    def param(x):
        return torch.tensor(x, requires_grad=True)

    w = param((np.arange(24) * 7 % 11).reshape(6, 4) * 0.1 - 0.4)
    c = param(np.full(4, 0.1))
    v = param((np.arange(12) * 5 % 7).reshape(4, 3) * 0.1 - 0.2)
    x = torch.tensor((np.arange(30) % 13).reshape(5, 6) * 0.1)

    def loss():
        return ((torch.relu(x @ w + c) @ v) ** 2).mean()

    g = torch.autograd.grad(loss(), (w, c, v))
    show(loss(), *g)
    with torch.no_grad():
        for q, d in zip((w, c, v), g):
            q -= 0.5 * d
    show(loss(), w)
    t, u = upto(7, 5), upto(7)
    show(t.sum(), t.sum(0), t.max(1), t, t)
    show(u, u, u, u, (u * u).sum())
    show(u, t[2:6, 1])
    show(np.full(5, True))


def ramp_of(*shape, step, size=1.0):
    """What the programs' `ramp` makes of ones, or of a param of ones."""
    return torch.tensor(((np.arange(int(np.prod(shape))) * step % 23) - 11.0).reshape(shape) * 0.1 * size)


@program
def images_more():
    params = {"k1": (6, 2, 3, 3), "k2": (4, 6, 3, 2), "k3": (4, 3, 3, 3), "k4": (5, 3, 3), "scale": (6,), "shift": (6,)}
    g = {name: (torch.zeros if name == "shift" else torch.ones)(shape, dtype=torch.float64, requires_grad=True) for name, shape in params.items()}
    steps = {"k1": 7, "k2": 5, "k3": 3, "k4": 2}
    k = {name: g[name] * ramp_of(*params[name], step=s) for name, s in steps.items()}
    x = torch.tensor((np.arange(504) * 13 % 29).reshape(3, 4, 7, 6) * 0.1 - 1.4)
    m, v = torch.zeros(6, dtype=torch.float64), torch.ones(6, dtype=torch.float64)

    def net(training):
        h = F.conv2d(x, k["k1"], stride=2, padding=1, groups=2)
        h = F.batch_norm(h, m, v, g["scale"], g["shift"], training)
        y = F.conv2d(h, k["k2"], dilation=2, padding=2)
        z = F.conv_transpose2d(y, k["k3"], stride=2, padding=1)
        p = F.max_pool2d(z - 3, 3, 2, 1)
        u = F.interpolate(p, scale_factor=2).reshape(3, 3, 80)
        return F.conv1d(u, k["k4"], stride=3, padding=2, dilation=2)

    for _ in range(2):
        l = (net(True) ** 2).mean()
        d = dict(zip(g, torch.autograd.grad(l, list(g.values()), retain_graph=True)))
        show(l, d["k1"][1], d["k2"][1, 2], d["k3"][3, 1], d["k4"][2], d["scale"], d["shift"])
        show(m.clone(), v.clone())
    show(net(False)[2, :, :9])
    show(F.conv_transpose2d(x, k["k3"], padding=2)[1, 2])
    show(F.unfold(x[:, :, :6], 3, stride=3).transpose(1, 2)[1])
    show(F.avg_pool2d(x, 3, 3, 1)[1], F.max_pool2d(x - 5, 2, 3, 1)[2])
    show(F.batch_norm(x.reshape(42, 12)[:, :6], m, v, g["scale"], g["shift"], True)[:2], m)


@program
def cells():
    w, u, b, c = (torch.ones(*s, dtype=torch.float64, requires_grad=True) for s in ((3, 20), (5, 20), (20,), (15,)))
    W, U, B, C = (t * ramp_of(*t.shape, step=s) for t, s in ((w, 7), (u, 5), (b, 3), (c, 2)))
    x = ramp_of(6, 4, 3, step=4)

    def run(cell, weights, state):
        cell = cell(3, 5).double()
        for name, value in zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), weights):
            delattr(cell, name)
            setattr(cell, name, value)
        for t in range(4):
            state = cell(x[:, t], state)
        return state

    zero = torch.zeros(6, 5, dtype=torch.float64)
    h, s = run(torch.nn.LSTMCell, (W.T, U.T, B, torch.zeros(20).double()), (zero, zero))
    y = h + 2 * s
    l = (y**2).mean()
    g = torch.autograd.grad(l, (w, u, b), retain_graph=True)
    show(y, l, g[0][1], g[1][4], g[2])
    y = run(torch.nn.GRUCell, (W.T[:15], U.T[:15], B[:15], C), torch.ones_like(zero))
    l = (y**2).mean()
    g = torch.autograd.grad(l, (w, u, b, c), retain_graph=True)
    show(y, l, g[0][1], g[1][4], g[2], g[3])
    y = run(torch.nn.RNNCell, (W.T[:5], U.T[:5], B[:5], torch.zeros(5).double()), zero)
    l = (y**2).mean()
    g = torch.autograd.grad(l, (w, u, b), retain_graph=True)
    show(y, l, g[0][1], g[1][4], g[2])

    def attention(q, k, v, add):
        k, v = (x.repeat_interleave(2, dim=1) for x in (k, v))
        return (q @ k.transpose(2, 3) / np.sqrt(6) + add).softmax(3) @ v

    q, k = ramp_of(2, 4, 3, 6, step=3).requires_grad_(), ramp_of(2, 2, 5, 6, step=5).requires_grad_()
    hidden = torch.tensor(np.arange(10) * 3 % 4 == 0).reshape(2, 1, 1, 5) * -1e30
    l = (attention(q, k, k * 0.5, hidden) ** 2).sum()
    gq, gk = torch.autograd.grad(l, (q, k))
    show(l, gq[1, 2], gk[0, 1])
    causal = torch.ones(3, 5).triu(3).bool()
    pairs = torch.tensor(np.arange(30) * 3 % 5 <= 1).reshape(2, 1, 3, 5)
    show(attention(q, k, k, (pairs | causal) * -1e30).sum(3))
    distance = torch.arange(3)[:, None] + 2 - torch.arange(5)[None]
    slope = torch.tensor([2.0 ** (-2 * (h + 1)) for h in range(4)])
    show(attention(q, k, k, causal * -1e30 - slope[:, None, None] * distance).sum(3))
    angle = (np.arange(3) + 2)[:, None] / 10000 ** ((np.arange(6) // 2 * 2) / 6)[None]
    show(np.where(np.arange(6) % 2 == 0, np.sin(angle), np.cos(angle)))
    y = torch.tensor(np.arange(11) * 0.8 - 4)
    show(F.elu(y), F.elu(y, 0.5), F.selu(y), F.mish(y), F.logsigmoid(y * 20))
    show(F.relu6(y * 2), F.hardsigmoid(y), F.hardswish(y), F.glu(y[:10]))
    z = (y * 0).requires_grad_()
    show(torch.autograd.grad(F.elu(z).sum(), z)[0])
    table, ids = ramp_of(7, 4, step=3), torch.arange(6).reshape(2, 3)
    show(F.embedding_bag(ids, table, mode="sum"), F.embedding_bag(ids, table, mode="sum", per_sample_weights=ids.double()))
    show(F.cosine_similarity(table, table * table + 0.1, 1))


@program
def losses_more():
    x = torch.tensor((np.arange(18) * 7 % 11).reshape(6, 3) * 0.5 - 2, requires_grad=True)
    r = torch.tensor((np.arange(18) * 5 % 7).reshape(6, 3) * 1.0)
    y = (r / r.sum(1, keepdim=True)).requires_grad_()
    t = torch.where(torch.arange(6) % 3 == 1, -100, torch.arange(6) * 2 % 3)

    def with_grad(l, by=None):
        return l, torch.autograd.grad(l, x if by is None else by)[0]

    show(*with_grad(F.cross_entropy(x, t, label_smoothing=0.1)), 0)
    show(*with_grad(F.cross_entropy(x, y)))
    show(*with_grad(F.kl_div(x.log_softmax(1), y, reduction="batchmean")))
    show(*with_grad((0.5 * (x**2 + y.exp() - y - 1)).sum(1).mean(), y))
    l, g = with_grad(F.huber_loss(x, y, delta=0.5))
    show(F.l1_loss(x, y), l, g)
    signs = torch.where(y > 0.2, 1.0, -1.0)
    l, g = with_grad(F.triplet_margin_loss(x, y, x * y, margin=2.0, eps=0))
    show(F.relu(1 - x * signs).mean(), l, g)
    show(F.nll_loss(x.log_softmax(1), t.clamp(min=0)))
    c = np.zeros((3, 3), int)
    for label, taken in zip(t.clamp(min=0).tolist(), x.argmax(1).tolist()):
        c[label, taken] += 1
    p, q = (np.diag(c) / np.maximum(c.sum(axis), 1) for axis in (0, 1))
    e = y * y + x * 0.1
    show(c, p, q, 2 * p * q / np.maximum(p + q, 1e-30), 1 - ((e - y) ** 2).sum() / ((e - e.mean()) ** 2).sum())


def f64_begin():
    w = torch.arange(6, dtype=torch.double) * 0.3 - 0.7
    return w, torch.tensor(0.4, dtype=torch.double)


def f64_loss(w, b):
    x = w * (torch.arange(6, dtype=torch.double) * 0.25 - 0.6) + 0.1 * b
    return (x * x * x + 2 * x * w).sum()


def f64_digits(name, x):
    x = x.detach().numpy() * 1000000
    show(name, np.floor(x).astype(np.int64), (x - np.floor(x)) * 1000000)


def f64_steps(name, make, steps=5):
    params = [x.requires_grad_() for x in f64_begin()]
    optimizer = make(params)
    for _ in range(steps):
        optimizer.zero_grad()
        f64_loss(*params).backward()
        optimizer.step()
    for x in params:
        f64_digits(name, x)


@program
def optimizers_f64():
    begin, f, digits, of_torch = f64_begin, f64_loss, f64_digits, f64_steps

    def gradient(w, b):
        w, b = w.detach().requires_grad_(), b.detach().requires_grad_()
        return torch.autograd.grad(f(w, b), (w, b))

    def shown(name, params):
        for x in params:
            digits(name, x)

    def by_hand(name, step):
        params, states = list(begin()), [{}, {}]
        for i in range(5):
            params = [step(x, g, s, i + 1) for x, g, s in zip(params, gradient(*params), states)]
        shown(name, params)

    def lion(x, g, s, _):
        m = s.get("m", 0 * x)
        s["m"] = 0.99 * m + 0.01 * g
        return x - 0.01 * ((0.9 * m + 0.1 * g).sign() + 0.1 * x)

    def lamb(x, g, s, i):
        s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
        s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
        step = s["m"] / (1 - 0.9 ** i) / ((s["v"] / (1 - 0.999 ** i)).sqrt() + 1e-6) + 0.1 * x
        return x - 0.01 * x.norm() / step.norm() * step

    o = torch.optim
    of_torch("sgd", lambda p: o.SGD(p, lr=0.01, momentum=0.9, weight_decay=0.1, nesterov=True))
    of_torch("adam", lambda p: o.Adam(p, lr=0.01, weight_decay=0.1))
    of_torch("adamw", lambda p: o.AdamW(p, lr=0.01, weight_decay=0.1))
    by_hand("lion", lion)
    of_torch("rmsprop", lambda p: o.RMSprop(p, lr=0.01, momentum=0.5, weight_decay=0.1))
    of_torch("adagrad", lambda p: o.Adagrad(p, lr=0.01, weight_decay=0.1))
    of_torch("adadelta", o.Adadelta)
    by_hand("lamb", lamb)
    params, total, means = list(begin()), [0, 0], None
    for i in range(5):
        g = gradient(*params)
        norm = sum((x * x).sum() for x in g).sqrt()
        total = [t + x * min(1, 0.7 / norm) / 5 for t, x in zip(total, g)]
        params = [x - 0.3 * t for x, t in zip(params, total)]
        means = [0.9 * m + 0.1 * x for m, x in zip(means, params)] if means else params
    norm = sum((x * x).sum() for x in gradient(*params)).sqrt()
    digits("norm", norm)
    digits("mixed", norm)
    shown("means", means)
    params = list(begin())
    for _ in range(5):
        params = [x - 0.1 * g.clamp(-0.31234567, 0.31234567) for x, g in zip(params, gradient(*params))]
    shown("clipped", params)


class ExactNAdam(torch.optim.NAdam):
    """torch keeps the product of all beta1 in f32."""

    def __init__(self, params, decoupled=False):
        super().__init__(params, lr=0.01, weight_decay=0.1, momentum_decay=0.1, decoupled_weight_decay=decoupled)

    def _init_group(self, *args):
        done = super()._init_group(*args)
        args[5][:] = []
        for state in self.state.values():
            state["mu_product"] = state["mu_product"].double()
            args[5].append(state["mu_product"])
        return done


@program
def optimizers_of_adam():
    o = torch.optim
    f64_steps("sgd", lambda p: o.SGD(p, lr=0.01, momentum=0.9, weight_decay=0.1, dampening=0.3), 9)
    f64_steps("adam", lambda p: o.Adam(p, lr=0.3, weight_decay=0.1, betas=(0.9, 0.9), amsgrad=True), 9)
    f64_steps("adamw", lambda p: o.AdamW(p, lr=0.3, weight_decay=0.1, betas=(0.9, 0.9), amsgrad=True), 9)
    f64_steps("adamax", lambda p: o.Adamax(p, lr=0.01, weight_decay=0.1), 9)
    f64_steps("nadam", ExactNAdam, 9)
    f64_steps("radam", lambda p: o.RAdam(p, lr=0.01, weight_decay=0.1), 9)


@program
def optimizers_with_options():
    o = torch.optim
    f64_steps("rmsprop", lambda p: o.RMSprop(p, lr=0.01, momentum=0.5, weight_decay=0.1, centered=True, eps=1e-3), 9)
    f64_steps("adagrad", lambda p: o.Adagrad(p, lr=0.1, weight_decay=0.1, lr_decay=0.1, initial_accumulator_value=0.3), 9)
    f64_steps("adadelta", lambda p: o.Adadelta(p, weight_decay=0.1), 9)
    f64_steps("nadam", lambda p: ExactNAdam(p, decoupled=True), 9)
    f64_steps("radam", lambda p: o.RAdam(p, lr=0.01, weight_decay=0.1, decoupled_weight_decay=True), 9)
    f64_steps("rprop", lambda p: o.Rprop(p, lr=0.2901234567, etas=(0.3, 1.5), step_sizes=(0.01, 0.4123456789)), 9)
    torch.set_default_dtype(torch.double)                  # the type of the rate that ASGD keeps
    f64_steps("asgd", lambda p: o.ASGD(p, lr=0.1, lambd=0.2, alpha=0.6, weight_decay=0.1), 9)
    torch.set_default_dtype(torch.float)

    # Means of params, all steps alike (SWA).
    params = [x.requires_grad_() for x in f64_begin()]
    optimizer = o.SGD(params, lr=0.1)
    mean = [x.detach().clone() for x in params]
    for n in range(6):
        optimizer.zero_grad()
        f64_loss(*params).backward()
        optimizer.step()
        mean = [m + (x.detach() - m) / (n + 1) for m, x in zip(mean, params)]
    for x in mean:
        f64_digits("mean", x)

    def rates(name, make, metrics=None):
        optimizer = o.SGD([torch.zeros(1)], lr=0.4)
        schedule, found = make(optimizer), []
        for i in range(20):
            found.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step(*([metrics[i]] if metrics else []))
        show(name, np.array(found))

    s = o.lr_scheduler
    rates("cycles", lambda x: s.CosineAnnealingWarmRestarts(x, 3, 2, 0.01))
    rates("triangles", lambda x: s.CyclicLR(x, 0.1, 0.4, 3, 4))
    rates("halves", lambda x: s.CyclicLR(x, 0.1, 0.4, 4, mode="triangular2"))
    rates("powers", lambda x: s.CyclicLR(x, 0.1, 0.4, 4, mode="exp_range", gamma=0.9))
    seen = [5.0, 4.0, 4.0, 4.0, 3.9999, 4.0, 4.0, 4.0, 4.0, 4.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0]
    rates("plateau", lambda x: s.ReduceLROnPlateau(x, patience=2, factor=0.5), seen)
    rates("cooldown", lambda x: s.ReduceLROnPlateau(x, patience=1, factor=0.5, cooldown=2, min_lr=0.04), seen)


@program
def lib_distributions():
    D, e, kl = torch.distributions, torch.exp, torch.distributions.kl_divergence
    D.Distribution.set_default_validate_args(False)
    k = torch.arange(6).double()

    def waves(shape, step):
        return torch.sin(torch.arange(int(np.prod(shape))).double().reshape(shape) * step + 0.3)

    def tri():
        return torch.tril(waves((4, 4), 0.7), -1) + 1.5 * torch.eye(4).double()

    def tris(v):
        t = v.T
        return torch.tril(t[:, None] * t[:, :, None], -1) + e(t)[:, :, None] * torch.eye(4).double()

    def shown(name, f):
        v = waves((4, 6), 0.37).requires_grad_()
        y = f(v)
        d, = torch.autograd.grad(y, v, waves((6,), 1.7), allow_unused=True)
        show(name, *["%.15g" % x.item() for x in (y.sum(), (y * waves((6,), 0.9)).sum(), (d * waves((4, 6), 0.9)).sum(), (d * d).sum())], "true")

    shown("normal", lambda v: D.Normal(v[1],e(v[2])).log_prob(v[0]))
    shown("normal", lambda v: D.Normal(v[1],e(v[2])).entropy())
    shown("normal", lambda v: kl(D.Normal(v[0],e(v[1])),D.Normal(v[2],e(v[3]))))
    shown("log_normal", lambda v: D.LogNormal(v[1],e(v[2])).log_prob(e(v[0])))
    shown("log_normal", lambda v: D.LogNormal(v[1],e(v[2])).entropy())
    shown("laplace", lambda v: D.Laplace(v[1],e(v[2])).log_prob(v[0]))
    shown("laplace", lambda v: D.Laplace(v[1],e(v[2])).entropy())
    shown("laplace", lambda v: kl(D.Laplace(v[0],e(v[1])),D.Laplace(v[2],e(v[3]))))
    shown("cauchy", lambda v: D.Cauchy(v[1],e(v[2])).log_prob(v[0]))
    shown("cauchy", lambda v: D.Cauchy(v[1],e(v[2])).entropy())
    shown("cauchy", lambda v: kl(D.Cauchy(v[0],e(v[1])),D.Cauchy(v[2],e(v[3]))))
    shown("student", lambda v: D.StudentT(e(v[1]),v[2],e(v[3])).log_prob(v[0]))
    shown("student", lambda v: D.StudentT(e(v[1]),v[2],e(v[3])).entropy())
    shown("gumbel", lambda v: D.Gumbel(v[1],e(v[2])).log_prob(v[0]))
    shown("gumbel", lambda v: D.Gumbel(v[1],e(v[2])).entropy())
    shown("gumbel", lambda v: kl(D.Gumbel(v[0],e(v[1])),D.Gumbel(v[2],e(v[3]))))
    # torch has a polynomial that is right to 1e-7.
    i0e, i1e, log_2_pi = torch.special.i0e, torch.special.i1e, np.log(2 * np.pi)
    shown("von_mises", lambda v: e(v[2]) * (torch.cos(v[0] - v[1]) - 1) - log_2_pi - torch.log(i0e(e(v[2]))))
    shown("von_mises", lambda v: log_2_pi + torch.log(i0e(e(v[2]))) + e(v[2]) * (1 - i1e(e(v[2])) / i0e(e(v[2]))))
    shown("uniform", lambda v: D.Uniform(v[0]-e(v[1]),v[0]+e(v[2])).log_prob(v[0]))
    shown("uniform", lambda v: D.Uniform(v[0],v[0]+e(v[2])).entropy())
    shown("exponential", lambda v: D.Exponential(e(v[1])).log_prob(e(v[0])))
    shown("exponential", lambda v: D.Exponential(e(v[1])).entropy())
    shown("exponential", lambda v: kl(D.Exponential(e(v[0])),D.Exponential(e(v[1]))))
    shown("gamma", lambda v: D.Gamma(e(v[1]),e(v[2])).log_prob(e(v[0])))
    shown("gamma", lambda v: D.Gamma(e(v[1]),e(v[2])).entropy())
    shown("gamma", lambda v: kl(D.Gamma(e(v[0]),e(v[1])),D.Gamma(e(v[2]),e(v[3]))))
    shown("beta", lambda v: D.Beta(e(v[1]),e(v[2])).log_prob(torch.sigmoid(v[0])))
    shown("beta", lambda v: D.Beta(e(v[1]),e(v[2])).entropy())
    shown("beta", lambda v: kl(D.Beta(e(v[0]),e(v[1])),D.Beta(e(v[2]),e(v[3]))))
    shown("poisson", lambda v: D.Poisson(e(v[1])).log_prob(k))
    shown("poisson", lambda v: kl(D.Poisson(e(v[0])),D.Poisson(e(v[1]))))
    shown("bernoulli", lambda v: D.Bernoulli(logits=v[1]).log_prob(k%2))
    shown("bernoulli", lambda v: D.Bernoulli(logits=v[1]).entropy())
    shown("bernoulli", lambda v: kl(D.Bernoulli(logits=v[0]),D.Bernoulli(logits=v[1])))
    shown("binomial", lambda v: D.Binomial(9,logits=v[1]).log_prob(k))
    shown("negative_binomial", lambda v: D.NegativeBinomial(e(v[0]),logits=v[1]).log_prob(k))
    shown("geometric", lambda v: D.Geometric(logits=v[1]).log_prob(k))
    shown("categorical", lambda v: D.Categorical(logits=v.T).log_prob(k%4))
    shown("categorical", lambda v: D.Categorical(logits=v.T).entropy())
    shown("categorical", lambda v: kl(D.Categorical(logits=v.T),D.Categorical(logits=2*v.T)))
    shown("dirichlet", lambda v: D.Dirichlet(e(v.flip(0).T)).log_prob(torch.softmax(v.T,-1)))
    shown("dirichlet", lambda v: D.Dirichlet(e(v.T)).entropy())
    shown("dirichlet", lambda v: kl(D.Dirichlet(e(v.T)),D.Dirichlet(e(2*v.T))))
    shown("multivariate", lambda v: D.MultivariateNormal(tri()[0],scale_tril=tri()).log_prob(v.T))
    shown("multivariate", lambda v: D.MultivariateNormal(v.flip(0).T,scale_tril=tris(v)).log_prob(v.T))
    shown("multivariate", lambda v: D.MultivariateNormal(v.T,scale_tril=tris(v)).entropy())
    shown("multivariate", lambda v: kl(D.MultivariateNormal(v.T,scale_tril=tris(v)),D.MultivariateNormal(0*v.T,scale_tril=tris(.5*v))))
    log_normal = D.LogNormal(0.0, 1.0).log_prob(torch.tensor(2.0).double()).item()
    show(*["[-inf, %.15g]" % x for x in (-np.inf, -2, np.log(2) - 2, -np.inf, log_normal)])
    show("[0, -2]")                                        # of the logarithms of 2 e^-2x and x^2 e^-x at 2: -2 + 2 / x - 1
    for name in "normal gamma beta gumbel laplace exponential dirichlet categorical".split():
        show(name, "true")


@program
def ties():
    def grads(f, *xs):
        xs = [torch.tensor(x, requires_grad=True) for x in xs]
        return [g.numpy() + 0 for g in torch.autograd.grad(f(*xs).sum(), xs)]

    def grad(f, x):
        return grads(f, x)[0]

    z, x, h, r = [0.0] * 4, [-1.0, 1.0, 0.5, 2.0], [-3.0, 3.0, 1.0, -4.0], [0.0, 6.0, 3.0, 7.0]
    of = torch
    # Bounds that are tensors get half of the derivative in torch where x meets them, all of it here. Older versions of torch have 1 for x
    # at bounds that are numbers.
    show("clamp", grad(lambda x: of.clamp(x, -1, 1), x), (np.array(x) <= -1).sum(), (np.array(x) >= 1).sum())
    show("relu", grad(F.relu, z), grad(lambda x: F.leaky_relu(x, 0.2), z), grad(F.softplus, z))
    show("relu6", grad(F.relu6, r))
    show("hard_tanh", grad(F.hardtanh, x))
    # The derivative of hardswish in torch was -0.5 and 1.5 at -3 and 3, what neither side has there, and is 0 and 1 now.
    show("hard_sigmoid", grad(F.hardsigmoid, h), np.where(np.abs(h) == 3, np.array(h) > 0, grad(F.hardswish, h)))
    show("elu", grad(lambda x: F.elu(x, 1.5), z), grad(F.selu, z), grad(F.mish, z), grad(F.logsigmoid, z))
    show("abs", grad(of.abs, z), grad(of.sign, z))
    show("maximum", *grads(of.maximum, z, z), *grads(of.minimum, z, z))
    # Maxima share their derivative evenly among equal elements, as amax does; max along a dimension and max_pool2d of torch take the first.
    show("max", grad(of.max, z), grad(of.min, z), grad(lambda x: of.amax(x.reshape(2, 2), 1), z), grad(of.amax, z))
    show("norm", grad(of.norm, z), grad(of.norm, x), grad(lambda x: of.norm(x.reshape(2, 2), dim=1), z))
    show("std", *(grad(lambda x: of.std(x, unbiased=False), y) for y in (z, x)), grad(of.var, z))
    show("pow", *(grad(lambda x: x ** p, z) for p in (2.0, 1.0, 0.0, 0.5, 3)))
    show("powers", *grads(of.pow, [0.0, 0.0, 0.0, 0.0, 2.0, -1.0], [0.0, 1.0, 2.0, 0.5, 3.0, 2.0]))
    show("prod", grad(of.prod, z), grad(of.prod, [0.0, 2.0, 3.0, 1.0]))
    show("sqrt", grad(of.sqrt, z), grad(lambda x: of.sqrt(x * x), z))
    show("cosine", *grads(lambda x, y: F.cosine_similarity(x, y, dim=0), z, x))
    show("%", *grads(of.fmod, [4.0, 5.0, -5.0], [2.0, 3.0, 3.0]))
    zero = of.zeros(4)
    show("losses", grad(lambda x: F.huber_loss(x, zero), x), grad(lambda x: F.l1_loss(x, zero), z), grad(lambda x: F.relu(1 - x).mean(), x))
    show("floor", grad(of.floor, x), grad(of.round, x), grad(lambda x: of.sort(x, stable=True, descending=True)[0][:2], z))


@program
def optimizers_more():
    w, b = (torch.full(s, v, dtype=torch.float64, requires_grad=True) for s, v in (((3, 2), 0.5), ((2,), 0.0)))
    x = torch.tensor(np.arange(12).reshape(4, 3) * 0.1)
    t = torch.tensor((np.arange(8) % 3).reshape(4, 2) * 1.0)

    def gradient():
        return torch.autograd.grad(((torch.tanh(x @ w + b) - t) ** 2).mean(), (w, b))

    for make in (lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, weight_decay=0.1, nesterov=True),
                 lambda p: torch.optim.RMSprop(p, 0.01, momentum=0.5, weight_decay=0.1), lambda p: torch.optim.Adagrad(p, 0.1, weight_decay=0.1),
                 lambda p: torch.optim.Adadelta(p)):
        optimizer = make([w, b])
        for _ in range(3):
            w.grad, b.grad = gradient()
            optimizer.step()
        show(w, b)
    moments = {p: (0, 0) for p in (w, b)}
    for step in range(1, 4):
        with torch.no_grad(), torch.enable_grad():
            g = gradient()
        with torch.no_grad():
            for p, d in zip((w, b), g):
                m, v = moments[p] = 0.9 * moments[p][0] + 0.1 * d, 0.999 * moments[p][1] + 0.001 * d * d
                s = m / (1 - 0.9**step) / ((v / (1 - 0.999**step)).sqrt() + 1e-6) + 0.01 * p
                p -= 0.1 * (p.norm() / s.norm() if p.norm() > 0 and s.norm() > 0 else 1) * s
    show(w, b)
    g = gradient()
    with torch.no_grad():
        for p, d in zip((w, b), g):
            p -= d.clamp(-0.01, 0.01)
    show(w, b)

    def schedule(make, base=0.1, steps=10):
        optimizer = torch.optim.SGD([w], base)
        scheduler, rates = make(optimizer), []
        for _ in range(steps):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            if len(rates) < steps:
                scheduler.step()
        return rates

    s = torch.optim.lr_scheduler
    for row in zip(schedule(lambda o: s.OneCycleLR(o, 0.1, total_steps=10)), schedule(lambda o: s.ExponentialLR(o, 0.5)),
                   schedule(lambda o: s.MultiStepLR(o, [3, 6]))):
        show(*row)
    restarts = schedule(lambda o: s.CosineAnnealingWarmRestarts(o, 4))
    for i in range(10):
        show(0.1 * (1 - min(1, i / 8)) ** 2, 0.1 * min((i + 1) / 4, np.sqrt(4 / (i + 1))), restarts[i],
             0.1 * min(1, max(0, 8 - i) / 3) * min(1, (i + 1) / 2))


@program
def nested_gradients():
    def ramp(w, step):
        return w * torch.tensor(((np.arange(w.numel()) * step % 7) - 2.5).reshape(w.shape) * 0.3)

    def by(y, *args):
        return torch.autograd.grad(y.sum(), args, create_graph=True)

    a, b = torch.ones(2, 3, dtype=torch.float64, requires_grad=True), torch.full((3,), 0.3, dtype=torch.float64, requires_grad=True)
    x = torch.tensor(np.arange(8).reshape(4, 2) * 0.2 - 0.5, requires_grad=True)
    z = (x * x).detach().requires_grad_()

    def u(x):
        return torch.tanh(x @ ramp(a, 3)) @ b

    def slope(x):
        return by(u(x), x)[0]

    def fit(w, x):
        return ((torch.tanh(x @ w) @ b - 0.5) ** 2).mean()

    def equation():
        r = by(slope(x), x)[0][:, 0] + u(x) - slope(z)[:, 1]
        return (r * r).mean() + ((slope(x) - 1) ** 2).mean()

    def stepped():
        w = ramp(a, 3)
        return fit(w - 0.7 * by(fit(w, x), w)[0], z)

    def slack():
        ga, gb = by(((u(x) - 0.5) ** 2).mean(), a, b)
        return (ga * ramp(a, 2)).sum() + (gb**2).sum() + 0.1 * (a * a).sum()

    def along():
        return ((slope(x) * x * 0.5).sum(1) ** 2).sum() + u(x).sum()

    def norm_of():
        ga, gb = by(slack(), a, b)
        return (ga**2).sum() + gb.sum()

    for _ in range(2):
        found = []
        for f in (equation, stepped, slack, along, norm_of):
            l = f()
            found.append(by(l, a, b))
            show(l, *found[-1])
        with torch.no_grad():
            a -= 0.1 * found[0][0]
            b -= 0.1 * found[2][1]


@program
def elementwise_more():
    x = np.arange(13) * 0.5 - 3
    show(np.round(x), np.round(x + 0.25), np.array([0.0]))
    show(np.log2(x + 4))
    with np.errstate(all="ignore"):
        y = np.log(x) + 1 / (x - 1)
    show(np.isnan(y), np.isfinite(y))
    z = torch.tensor(x[:12].reshape(3, 4), requires_grad=True)
    show(z.std(1, False), z.std(0, False), z.norm(), z.norm(dim=0), z.norm(dim=1))
    show(torch.autograd.grad(z.norm() + z.std(1, False).sum(), z)[0])


@program
def shapes_more():
    x = np.arange(12.0).reshape(3, 4) - 3

    def collected(x):
        rows, y = [], x
        for _ in range(3):
            y = torch.tanh(y * 0.1)
            rows.append(y)
        return torch.stack(rows, 1)

    show(np.tril(x), np.triu(x), np.tril(x, 1), np.triu(x, -1), gradients(lambda x: (x.tril() ** 3).sum(), x)[1])
    show(np.eye(3), np.eye(2, dtype=int), np.stack([x, x * 2]), np.stack([x, x], -1), gradients(lambda x: (collected(x) ** 2).sum(), x)[1])
    show(True, True, np.stack([x > 0, x < 5]))
    near = gradients(lambda x: (torch.log1p(x * 1e-6) * torch.expm1(x * 1e-6)).sum(), x)[1]
    show(np.log1p(x * 1e-7) * 1e7, np.expm1(x * 1e-7) * 1e7, np.log1p(x + 2.5), np.expm1(x),
         near * 1e12)
    show(np.log1p(np.exp(-30 - x)) * 1e13, 1.0, 1.0)
    for i in (1, 2):
        show(np.log1p(1e-12 * i) * 1e12, np.expm1(1e-12 * i) * 1e12)


@program
def averages():
    w, b = (torch.full(s, v, dtype=torch.float64, requires_grad=True) for s, v in (((3, 2), 0.5), ((2,), 1.0)))
    x = torch.tensor(np.arange(12).reshape(4, 3) * 0.1)
    t = torch.tensor((np.arange(8) % 3).reshape(4, 2) * 1.0)

    def gradient():
        return torch.autograd.grad(((torch.tanh(x @ w + b) - t + 2) ** 2).mean(), (w, b))

    optimizer = torch.optim.AdamW([{"params": [w], "weight_decay": 0.5}, {"params": [b], "weight_decay": 0.0}], 0.1)
    means = None
    for i in range(4):
        w.grad, b.grad = gradient()
        optimizer.step()
        now = [q.detach().clone() for q in (w, b)]
        means = now if means is None else [0.75 * m + 0.25 * q for m, q in zip(means, now)]
        if i == 2:
            show(*means)
        show(w, b)
    optimizer = torch.optim.SGD([{"params": [w], "weight_decay": 0.5}, {"params": [b]}], 0.1)
    for _ in range(3):
        w.grad, b.grad = gradient()
        optimizer.step()
    m = [0, 0]
    for _ in range(3):
        g = gradient()
        with torch.no_grad():
            for k, (q, decay) in enumerate(((w, 0.5), (b, 0))):
                c = 0.9 * m[k] + 0.1 * g[k]
                q -= 0.01 * (torch.sign(c) + decay * q)
                m[k] = 0.99 * m[k] + 0.01 * g[k]
    show(w, b)
    mean, half = np.full(2, 1.004), torch.full((2,), 1.004).bfloat16().float()
    show(mean, half)
    show(np.full(2, 3.0), np.full(2, 3.0))
    z = (np.arange(24) * 7 % 11).reshape(3, 8) * 0.5

    def fewest(z, p, temperature, top):
        q = np.exp(z / temperature) * (np.argsort(np.argsort(-z, kind="stable"), kind="stable") < top)
        q /= q.sum(-1, keepdims=True)
        return np.array([[r[r > v].sum() < p and v > 0 for v in r] for r in q])

    show(fewest(z, 0.7, 1, 8), fewest(z, 0.9, 0.5, 3), z.argmax(-1))


@program
def recursion():
    show(144, False, True, 1.5 ** 10, np.array([1, 32, -1], f32))
    k = np.arange(16)
    y = np.fft.fft(((k * k) % 7).reshape(2, 8))
    show(y.real.round(12) + 0.0, y.imag.round(12) + 0.0)

    def around(u):
        return np.concatenate([[0], u[2:] + u[:-2], [0]])

    def relaxed(u, g, h):
        return u + 0.6 * ((around(u) + h * h * g) / 2 - u)

    def cycle(u, g, h):
        a = relaxed(relaxed(u, g, h), g, h)
        if len(u) <= 4:
            return relaxed(relaxed(a, g, h), g, h)
        rest = g - (2 * a - around(a)) / (h * h)
        e = cycle(np.zeros(len(u) // 2), rest.reshape(-1, 2).mean(1), 2 * h)
        return relaxed(a + np.repeat(e, 2), g, h)

    u = np.zeros(16)
    for turn in range(3):
        u = cycle(u, ((k * 3) % 5).astype(f64), 0.125)
    show(u)
    show(np.array([2 + 3, 4 * 2, 4 * 3, 8 * 4, 16 * 5], f64))


def waves(shape, step):
    return torch.sin(torch.arange(int(np.prod(shape)), dtype=torch.float64).reshape(shape) * step + 0.3)


def along_waves(name, f, x):
    """The value and the derivative by x along waves; what other layouts and f32 must agree in is true."""
    x = x.clone().requires_grad_()
    y = f(x)
    show(name, y, torch.autograd.grad(y, x, waves(y.shape, 1.7))[0])
    show(True)


@program
def lib_tensors():
    x, threes = waves((4, 6), 0.37), waves((4, 3), 0.37)

    def known(x):
        return torch.where(x < 0.9, x, torch.nan)

    along_waves("variance", lambda x: x.var(1), x)
    along_waves("std", lambda x: x.std(0), x)
    along_waves("covariance", torch.cov, x)
    along_waves("correlation", torch.corrcoef, x)
    along_waves("nan_sum", lambda x: known(x).nansum(0), x)
    along_waves("nan_mean", lambda x: known(x).nanmean(1), x)
    along_waves("nan_mean", lambda x: known(x).nanmean(), x)
    along_waves("kron", lambda x: torch.kron(x, x[:2, :3].cos()), x)
    along_waves("cross", lambda x: torch.linalg.cross(x, x.cos()), threes)
    along_waves("cross", lambda x: torch.linalg.cross(x.T, x.cos().T, dim=0), threes)
    for mode in "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist":
        along_waves("distances", lambda x: torch.cdist(x, x.cos() + 5, compute_mode=mode), x)
    along_waves("distances", lambda x: torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist"), x)
    along_waves("repeat", lambda x: x.repeat_interleave(3, 0), x)
    along_waves("repeat", lambda x: x.repeat_interleave(2, 1), x)
    along_waves("tile", lambda x: x.repeat(2, 3), x)
    for part in 0, 1:
        along_waves("meshgrid", lambda x: torch.meshgrid(x[0], x[:, 1], indexing="ij")[part], x)
    along_waves("logcumsumexp", lambda x: (x * 3).logcumsumexp(1), x)
    along_waves("logcumsumexp", lambda x: (x * 300).logcumsumexp(0), x)
    along_waves("top_k", lambda x: x.topk(3, largest=False)[0], x)

    i = torch.arange(40) * 7 % 12
    at = torch.argsort(i, stable=True)[:5]
    print("(" + text(i[at]) + ", " + text(at) + ")", text(torch.isin(i, torch.tensor([3, 7, 20]))),
          text(torch.isin((x * 10).int(), torch.tensor([3, 7, 9]))), file=out)
    show((i < 4).repeat_interleave(2), (i < 4).repeat(2))
    y = waves((200,), 0.71) * 4
    show(y.histc(10, -4, 4).long(), y.floor().histc(6, -3, 3).long(), y.histc(7, -2, 1).long())
    z = y.sort()[0]
    show(torch.searchsorted(z, y), torch.searchsorted(z.floor().int(), y.floor().int(), right=True), torch.searchsorted(z.floor(), x.floor()))


@program
def lib_functions():
    x = torch.tensor([0.0, 0.25, -0.4, 0.5, 0.9, -1.0, 2.5, -3.5, 5.0], dtype=torch.float64)
    p = torch.tensor([0.25, 0.5, 0.75, 1e-9], dtype=torch.float64)

    def with_slope(name, f, x):
        x = x.clone().requires_grad_()
        y = f(x)
        show(name, y, torch.autograd.grad(y.sum(), x)[0])

    with_slope("erfc", torch.erfc, x)
    with_slope("erfc", torch.erfc, x.float())
    with_slope("sinc", torch.sinc, x)
    with_slope("trunc", torch.trunc, x)
    with_slope("logit", torch.logit, p)
    t = torch.tensor([[[1.0, 3.0, 3.0], [0.0, 3.0, 2.0]], [[4.0, 4.0, 0.0], [1.0, 4.0, 4.0]]], dtype=torch.float64)
    for dims in (0, 1, 2), (0, 2), (1, 2):
        with_slope("max", lambda x: torch.amax(x, dims), t)
        with_slope("min", lambda x: torch.amin(x, dims), -t)
    y, places = waves((3, 5), 0.7), torch.tensor([0.0, 0.5, 0.6, 2.0, 3.0], dtype=torch.float64)
    with_slope("trapezoid", lambda y: torch.trapezoid(y, dx=0.5), y)
    with_slope("trapezoid", lambda y: torch.trapezoid(y, places), y)
    with_slope("trapezoid", lambda y: torch.trapezoid(y, y * y, dim=0), y)
    for k in 0, 1, -2, 4, 7:
        with_slope("diagonal", lambda y: torch.diagonal(y, k), y)
    for k in 0, 1, -2:
        with_slope("diag", lambda y: torch.diag_embed(y, k) ** 2, y)
    n = y.clone()
    n[0, 1] = n[2, 0] = n[2, 3] = torch.nan
    for q in 0.0, 0.3, 0.5, 1.0:
        show("nan_quantile", torch.nanquantile(n, q, dim=1), torch.nanquantile(n, q, dim=0))
    show("nan_quantile", torch.tensor([torch.nan, 2.0]))
    u, ids = torch.tensor([3, 2, 4, -1]), torch.tensor([0, 2, 2, 0])
    show("segment_prod", torch.ones(4, dtype=torch.int64).scatter_reduce(0, ids, u, "prod"))
    show("prod_along_at", torch.ones(3, 5, dtype=torch.float64).scatter_reduce(1, torch.tensor([[0, 2, 2, 4, 0]] * 3), y, "prod"))
    a = torch.stack([waves((4, 4), 0.7), 9 * waves((4, 4), 1.3), torch.zeros(4, 4, dtype=torch.float64)])
    ct = waves((3, 4, 4), 1.1)
    with_slope("expm", lambda a: torch.matrix_exp(a) * ct, a)
    with_slope("glu", lambda y: F.glu(y, 0), waves((4, 3), 0.7))
    with_slope("cosine", lambda y: F.cosine_similarity(y, waves((4, 3), 1.9), dim=0), waves((4, 3), 0.7))
    show("empty", 0, 0, np.array([0, 0]))


@program
def lib_windows():
    def shown(name, f, x):
        x = x.clone().requires_grad_()
        y = f(x)
        d = torch.autograd.grad(y, x, waves(y.shape, 1.7))[0]
        show(name, np.array(y.shape), *[v for t in (y, d) for v in ((t * waves(t.shape, 0.9)).sum(), (t * t).sum())])
        show(True)

    def filters(*shape):
        return waves(shape, 0.11)

    sequence, image, volume = waves((4, 4, 11), 0.37), waves((4, 4, 6, 7), 0.37), waves((4, 4, 5, 4, 6), 0.37)
    shown("conv3d", lambda x: F.conv3d(x, filters(4, 4, 3, 2, 3), stride=2, padding=1), volume)
    shown("conv3d", lambda x: F.conv3d(x, filters(4, 2, 2, 2, 2), dilation=2, groups=2), volume)
    shown("conv_transpose1d", lambda x: F.conv_transpose1d(x, filters(4, 3, 4), stride=2, padding=1), sequence)
    shown("conv_transpose3d", lambda x: F.conv_transpose3d(x, filters(4, 2, 3, 3, 3), stride=2, padding=1), volume)
    shown("max_pool1d", lambda x: F.max_pool1d(x, 3, 2, 1), sequence)
    shown("avg_pool1d", lambda x: F.avg_pool1d(x, 3, 2, 1), sequence)
    shown("max_pool3d", lambda x: F.max_pool3d(x, 3, 2, 1), volume)
    shown("avg_pool3d", lambda x: F.avg_pool3d(x, 2, 1), volume)
    shown("adaptive_avg_pool", lambda x: F.adaptive_avg_pool1d(x, 4), sequence)
    shown("adaptive_avg_pool", lambda x: F.adaptive_avg_pool2d(x, (3, 7)), image)
    shown("adaptive_max_pool", lambda x: F.adaptive_max_pool2d(x, (3, 4)), image)
    shown("unfold", lambda x: F.unfold(x, 3, stride=2, padding=1), image)
    shown("unfold", lambda x: F.unfold(x, 2, dilation=2), image)
    shown("fold", lambda x: F.fold(x, (5, 6), 2, stride=2, padding=1), waves((4, 16, 12), 0.37))
    for size, aligned in ((9, 11), False), ((4, 3), False), ((9, 11), True):
        shown("resize", lambda x: F.interpolate(x, size, mode="bilinear", align_corners=aligned), image)
    shown("resize", lambda x: F.interpolate(x, 17, mode="linear"), sequence)
    shown("resize", lambda x: F.interpolate(x, (7, 5, 8), mode="trilinear"), volume)
    shown("resize", lambda x: F.interpolate(x, (9, 4), mode="nearest"), image)
    shown("conv2d", lambda x: F.conv2d(x, filters(6, 2, 1, 3), None, (2, 1), (0, 1), (1, 2), 2), image)
    shown("conv3d", lambda x: F.conv3d(x, filters(2, 4, 1, 2, 3), None, (1, 2, 1), (0, 1, 1)), volume)
    shown("conv_transpose2d", lambda x: F.conv_transpose2d(x, filters(4, 3, 2, 3), None, (3, 2), (0, 1), (2, 1), 2, (2, 1)), image)
    shown("conv_transpose1d", lambda x: F.conv_transpose1d(x, filters(4, 1, 2), None, 2, 0, 1, 4, 3), sequence)
    shown("conv_transpose3d", lambda x: F.conv_transpose3d(x, filters(4, 1, 1, 2, 2), None, (1, 2, 3), 0, (0, 1, 2), 2), volume)
    shown("max_pool2d", lambda x: F.max_pool2d(x, (2, 3), (1, 2), (1, 0)), image)
    shown("max_pool2d", lambda x: F.max_pool2d(x, 3, (1, 2), 1, (2, 1)), image)
    shown("max_pool2d", lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), image)
    shown("max_pool1d", lambda x: F.max_pool1d(x, 2, 3, 1, 2, ceil_mode=True), sequence)
    shown("max_pool3d", lambda x: F.max_pool3d(x, 2, 3, 0, (1, 2, 1), ceil_mode=True), volume)
    shown("avg_pool2d", lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), image)
    shown("avg_pool2d", lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), image)
    shown("avg_pool1d", lambda x: F.avg_pool1d(x, 4, 3, 1, ceil_mode=True), sequence)
    shown("avg_pool3d", lambda x: F.avg_pool3d(x, (2, 3, 4), (2, 3, 3), 1, ceil_mode=True), volume)
    shown("avg_pool2d", lambda x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 0), count_include_pad=False), image)
    shown("avg_pool1d", lambda x: F.avg_pool1d(x, 3, 2, 1, count_include_pad=False), sequence)
    shown("avg_pool3d", lambda x: F.avg_pool3d(x, (1, 2, 3), (1, 2, 2), (0, 1, 1), count_include_pad=False), volume)
    shown("unfold", lambda x: F.unfold(x, (1, 3), (1, 2), (0, 1), (2, 1)), image)
    shown("fold", lambda x: F.fold(x, (5, 6), (2, 1), stride=(1, 2)), waves((4, 16, 12), 0.37))
    shown("pad", lambda x: F.pad(x, (2, 3, 1, 3), mode="reflect"), image)
    shown("pad", lambda x: torch.cat([x[..., :2].flip(2), x, x[..., -3:].flip(2)], 2), sequence)
    shown("pad", lambda x: F.pad(x, (2, 3), mode="replicate"), sequence)
    shown("pad", lambda x: F.pad(x, (2, 3), mode="circular"), sequence)
    shown("pad", lambda x: F.pad(x, (2, 1), value=0.7), sequence)
    shown("resize", lambda x: F.interpolate(x, (9, 4), mode="bicubic"), image)
    shown("resize", lambda x: F.interpolate(x, (4, 9), mode="bicubic", align_corners=True), image)
    grid = F.affine_grid(filters(4, 2, 3) * 1.3, (4, 1, 5, 4), align_corners=False)
    shown("grid_sample", lambda x: F.grid_sample(x, grid, align_corners=False), image)
    shown("grid_sample", lambda x: F.grid_sample(x, grid, padding_mode="border", align_corners=True), image)
    shown("grid_sample", lambda x: F.grid_sample(x, grid, mode="nearest", align_corners=False), image)
    shown("grid_sample", lambda x: F.grid_sample(filters(4, 3, 5, 6), x, padding_mode="border", align_corners=False), 1.3 * waves((4, 3, 7, 2), 0.37))
    shown("groupnorm", lambda x: F.group_norm(x, 2, filters(4), 2 * filters(4)), volume)
    shown("groupnorm", lambda x: F.group_norm(x, 2), sequence)
    shown("instancenorm", lambda x: F.instance_norm(x, weight=filters(4), bias=2 * filters(4)), image)
    shown("instancenorm", F.instance_norm, sequence)
    shown("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), image)
    shown("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), waves((4, 4, 6, 8), 0.37))
    shown("prelu", lambda x: F.prelu(x, filters(4)), image)
    shown("celu", lambda x: F.celu(x, 0.3), image)
    shown("softsign", F.softsign, image)
    shown("soft_shrink", lambda x: F.softshrink(x, 0.41), image)
    shown("hard_shrink", lambda x: F.hardshrink(x, 0.41), image)
    shown("normalize", lambda x: F.normalize(x, dim=1), image)


@program
def losses_reduced():
    x, labels = 2 * waves((6, 5), 0.37), torch.arange(6) * 3 % 5
    w, t, signs = torch.arange(5, dtype=torch.float64) * 0.5 + 0.25, waves((6, 5), 0.77).sigmoid(), waves((6, 5), 2.77).sign()
    along_waves("cross_entropy", lambda x: F.cross_entropy(x, labels, w, label_smoothing=0.2), x)
    along_waves("cross_entropy", lambda x: F.cross_entropy(x, labels, w, label_smoothing=0.2, ignore_index=3), x)
    along_waves("cross_entropy", lambda x: F.cross_entropy(x, labels, ignore_index=3), x)
    along_waves("cross_entropy", lambda x: F.cross_entropy(x, labels, w, ignore_index=3, reduction="none"), x)
    along_waves("cross_entropy", lambda x: F.cross_entropy(x, labels, label_smoothing=0.2, ignore_index=3, reduction="none"), x)
    along_waves("cross_entropy", lambda x: F.cross_entropy(x, labels, w, reduction="sum"), x)
    along_waves("nll", lambda x: F.nll_loss(x.log_softmax(1), labels, w, ignore_index=0), x)
    along_waves("nll", lambda x: F.nll_loss(x.log_softmax(1), labels, reduction="none"), x)
    bits, three = F.binary_cross_entropy_with_logits, torch.tensor(3.0)
    along_waves("binary_cross_entropy", lambda x: bits(x, t, pos_weight=w), x)
    along_waves("binary_cross_entropy", lambda x: bits(x, t, w, pos_weight=three, reduction="sum"), x)
    along_waves("binary_cross_entropy", lambda x: bits(20 * x, t, pos_weight=three - 1, reduction="none"), x)
    along_waves("mse", lambda x: F.mse_loss(x, t, reduction="sum"), x)
    along_waves("mse", lambda x: F.mse_loss(x, t, reduction="none"), x)
    along_waves("l1", lambda x: F.l1_loss(x, t, reduction="sum"), x)
    along_waves("huber", lambda x: F.huber_loss(x, t, delta=0.7, reduction="none"), x)
    along_waves("soft_cross_entropy", lambda x: F.cross_entropy(x, t.softmax(1), reduction="sum"), x)
    along_waves("kl_divergence", lambda x: F.kl_div(x.log_softmax(1), t.softmax(1), reduction="none").sum(1), x)
    along_waves("poisson_nll", lambda x: F.poisson_nll_loss(x, t, reduction="sum"), x)
    along_waves("hinge", lambda x: (1 - x * signs).relu(), x)
    along_waves("margin_ranking", lambda x: F.margin_ranking_loss(x, t, signs, margin=0.3), x)
    along_waves("cosine", lambda x: F.cosine_embedding_loss(x, t, signs[:, 0], margin=0.1), x)
    along_waves("triplet", lambda x: F.triplet_margin_loss(x, t, signs, reduction="none", eps=0), x)

def exactly(*values):
    """Numbers of f64, with all digits that print shows."""
    def digits(x):
        return "%.15g" % x if x.ndim == 0 else "[" + (", " if x.ndim == 1 else ",\n ").join(digits(v) for v in x) + "]"

    print(*[digits(v.detach()) for v in values], file=out)


def mamba(x, up, filters, shift, mix, time, least, rate, skip, down):
    """Token by token."""
    (e, s), r, k = rate.shape, time.shape[0], filters.shape[1]
    z = x @ up
    padded = F.pad(z[..., :e], (0, 0, k - 1, 0))
    u = F.silu(sum(padded[:, i : i + x.shape[1]] * filters[:, i] for i in range(k)) + shift)
    mixed = u @ mix
    delta = F.softplus(mixed[..., :r] @ time + least)
    h, lines = torch.zeros(x.shape[0], e, s, dtype=torch.float64), []
    for t in range(x.shape[1]):
        d, b, c = delta[:, t, :, None], mixed[:, t, None, r : r + s], mixed[:, t, None, r + s :]
        h = torch.exp(d * -torch.exp(rate)) * h + d * u[:, t, :, None] * b
        lines.append((h * c).sum(-1) + skip * u[:, t])
    return (torch.stack(lines, 1) * F.silu(z[..., e:])) @ down


def chains(x, moves, labels, lengths):
    """-log of the probability of each chain, the mean."""
    total = 0.0
    for n, length in enumerate(lengths):
        alpha, score = x[n, 0], x[n, 0, labels[n][0]]
        for t in range(1, length):
            alpha = torch.logsumexp(alpha[:, None] + moves, 0) + x[n, t]
            score = score + moves[labels[n][t - 1], labels[n][t]] + x[n, t, labels[n][t]]
        total = total + torch.logsumexp(alpha, 0) - score
    return total / len(lengths)


@program
def library_in_f64():
    def ramp(*shape, a):
        return (torch.arange(int(np.prod(shape))) * a % 23 - 11.0).double().reshape(shape) * 0.1

    weights = [0.5 * ramp(*shape, a=a) for shape, a in [((6, 16), 7), ((8, 4), 5), ((8,), 3), ((8, 8), 9), ((2, 8), 4),
                                                        ((8,), 6), ((8, 3), 8), ((8,), 11), ((8, 6), 13)]]
    x = ramp(4, 9, 6, a=10)
    exactly(mamba(x, *weights)[3, 8])
    l, dx, up, filters, _, mix, time, least, rate, _, _ = gradients(lambda *v: 1e6 * (mamba(*v) ** 2).mean(), x, *weights)
    exactly(l, rate[7], least, filters[2], time[1], up[0], mix[3])
    exactly(dx[3, 4])

    def by_ctc(z):
        labels = torch.tensor([[1, 2, 2], [3, 1, 4], [4, 4, 0], [2, 0, 0]])
        lengths = torch.tensor([3, 2, 2, 1])
        each = F.ctc_loss(z.log_softmax(-1).transpose(0, 1), labels, torch.tensor([7, 6, 4, 7]), lengths, reduction="none")
        return each.mean()

    l, dz = gradients(by_ctc, 3.0 * ramp(4, 7, 5, a=8))
    exactly(l, dz[1, 2])
    labels = [[1, 2, 2, 0, 3], [3, 1, 0, 0, 0], [0, 0, 1, 2, 3], [3, 3, 3, 1, 1]]
    l, moves = gradients(lambda m: chains(ramp(4, 5, 4, a=6), m, labels, [5, 2, 4, 5]), ramp(4, 4, a=7))
    exactly(l, moves)

    l, da = gradients(lambda a: torch.linalg.cholesky(a @ a.T + torch.eye(6, dtype=torch.float64)).sin().sum(), ramp(6, 6, a=11))
    exactly(l, da)

    def end_of(pull, y):
        """In many equal steps of the fourth order."""
        def f(t, y):
            return torch.tanh(y @ pull) - 0.5 * y + 0.1 * t

        n, t = 1000, 0.0
        h = 2.0 / n
        for i in range(n):
            t = i * h
            a = f(t, y)
            b = f(t + h / 2, y + h / 2 * a)
            c = f(t + h / 2, y + h / 2 * b)
            y = y + h / 6 * (a + 2 * b + 2 * c + f(t + h, y + h * c))
        return (y**2).sum()

    l, pull, dy = gradients(end_of, ramp(3, 3, a=5), ramp(4, 3, a=3))
    exactly(l, pull, dy[2])

    rows, t = ramp(12, 5, a=9), torch.tensor([1.0, -1.0, -1.0] * 4, dtype=torch.float64)

    def fit(w):
        return F.softplus(-t * (rows @ w)).mean() + 0.05 * (w * w).sum()

    w = torch.zeros(5, dtype=torch.float64, requires_grad=True)
    for _ in range(12):  # Newton
        (g,) = torch.autograd.grad(fit(w), w)
        hessian = torch.autograd.functional.hessian(fit, w)
        w = (w - torch.linalg.solve(hessian, g)).detach().requires_grad_()
    exactly(fit(w), w)


def numbers(*shape, a):
    """What the programs' `numbers` makes: all different, between -1 and 1."""
    return torch.tensor((np.arange(int(np.prod(shape))) * a % 1009 / 504.0 - 1.0).reshape(shape))


def leaves(**tensors):
    return {k: v.clone().requires_grad_() for k, v in tensors.items()}


@program
def recurrent():
    def cell(gates, a, b, c):
        return leaves(w=numbers(3, 5 * gates, a=a), u=numbers(5, 5 * gates, a=b), b=numbers(5 * gates, a=c))

    there, back, gated = cell(4, 7, 37, 91), cell(4, 7, 37, 91), cell(3, 71, 17, 53)
    gated["c"] = numbers(15, a=29).requires_grad_()
    head = numbers(10, 3, a=111).requires_grad_()
    x, n = numbers(6, 4, 3, a=13).requires_grad_(), torch.tensor([4, 1, 3, 2, 4, 3])

    def layer(kind, ways):
        net = kind(3, 5, batch_first=True, bidirectional=len(ways) > 1).double()
        for way, (w, u, b, c) in zip(("", "_reverse"), ways):
            for name, value in (("weight_ih_l0", w.T), ("weight_hh_l0", u.T), ("bias_ih_l0", b), ("bias_hh_l0", c)):
                delattr(net, name + way)
                setattr(net, name + way, value)
        return net

    def both():
        zero = torch.zeros(20, dtype=torch.float64)
        net = layer(torch.nn.LSTM, [(there["w"], there["u"], there["b"], zero), (back["w"], 0.5 * back["u"], back["b"], zero)])
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, n, batch_first=True, enforce_sorted=False)
        y, (h, c) = functional_rnn(net, packed)
        y = torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=True)[0]
        return y, torch.cat(list(h), 1), torch.cat(list(c), 1)

    def functional_rnn(net, packed):
        net._flat_weights = [getattr(net, name) for name in net._flat_weights_names]
        return net(packed)

    y, h, c = both()
    show(y, h, c)
    u = torch.tensor([1.0, 2.0, -1.0], dtype=torch.float64)
    v = F.normalize(head.detach() @ u, dim=0)
    u = F.normalize(v @ head.detach(), dim=0)
    q = head / (v @ head @ u)
    levels = torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64)
    d = c.sum(1, keepdim=True) - h @ q
    l = torch.maximum(levels * d, (levels - 1) * d).mean() + torch.log(torch.cosh(y - 0.3)).mean() + (c**2).mean()
    by = torch.autograd.grad(l, (there["w"], there["b"], back["u"], head))
    show(l, u, by[0][1], by[1], by[2][2], by[3])

    def gru(x):
        w = (gated["w"], gated["u"], gated["b"], gated["c"])
        net = layer(torch.nn.GRU, [w])
        y, h = functional_rnn(net, x)
        z, g = torch.zeros_like(y), []
        for i in range(6):
            line = functional_rnn(net, x[i, : n[i]].flip(0)[None])
            z = z + F.pad(line[0].flip(1), (0, 0, 0, 4 - int(n[i]), i, 5 - i))
            g.append(line[1][0, 0])
        return (y * z).mean() + (h[0] * torch.stack(g)).mean()

    l = gru(x)
    by = torch.autograd.grad(l, (gated["w"], gated["u"], gated["c"], x))
    show(l, by[0][0], by[1][4], by[2])
    show(by[3].sum(2))


@program
def detection():
    w = numbers(8, 7, a=37).requires_grad_()
    f = numbers(6, 48, 8, a=101)
    truth = torch.cat([16 + 12 * numbers(6, 2, 2, a=331), 10 + 4 * numbers(6, 2, 2, a=97)], 2)
    label = (torch.arange(12) % 3).reshape(6, 2)
    line = (torch.arange(4) + 0.5).double() * 8
    y, x = torch.meshgrid(line, line, indexing="ij")
    size = torch.tensor([[8, 8], [12, 6], [6, 12.0]]).double()
    a = torch.cat([torch.stack([x, y], 2).reshape(16, 1, 2).expand(16, 3, 2), size.expand(16, 3, 2)], 2).reshape(48, 4)

    def corners(b):
        return torch.cat([b[:, :2] - b[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2], 1)

    def iou(p, q):
        sides = (torch.minimum(p[:, None, 2:], q[:, 2:]) - torch.maximum(p[:, None, :2], q[:, :2])).clamp(min=0)
        area = [(b[:, 2:] - b[:, :2]).prod(1) for b in (p, q)]
        return sides.prod(2) / (area[0][:, None] + area[1] - sides.prod(2))

    t, c = [], []
    for i in range(6):
        most, best = iou(corners(a), corners(truth[i])).max(1)
        b = truth[i][best]
        t.append(torch.cat([(b[:, :2] - a[:, :2]) / a[:, 2:], torch.log(b[:, 2:] / a[:, 2:])], 1) / torch.tensor([0.1, 0.1, 0.2, 0.2]))
        c.append(torch.where(most >= 0.5, label[i][best], torch.where(most < 0.4, -1, -2)))
    t, c = torch.stack(t), torch.stack(c)
    show(t.sum(1), c)
    y = f @ w
    there = (c >= 0).double()
    target = F.one_hot(c.clamp(min=0), 3) * there[..., None]
    p = torch.sigmoid(y[..., 4:])
    sure, share = torch.where(target > 0, p, 1 - p), torch.where(target > 0, 0.25, 0.75)
    kind = (share * (1 - sure) ** 2 * -torch.log(sure)).sum(2) * (c != -2)
    box = F.huber_loss(y[..., :4], t, reduction="none").sum(2) * there
    l = ((kind.sum(1) + box.sum(1)) / there.sum(1).clamp(min=1)).mean()
    show(l, torch.autograd.grad(l, w, retain_graph=True)[0])
    kept = np.ones((6, 48), bool)
    for i in range(6):
        b = corners(torch.cat([a[:, :2] + 0.1 * y[i, :, :2] * a[:, 2:], a[:, 2:] * torch.exp(0.2 * y[i, :, 2:4])], 1))
        over = iou(b, b) > 0.3
        order = y[i, :, 4:].max(1)[0].argsort(descending=True, stable=True)
        for k, first in enumerate(order):
            for other in order[k + 1 :]:
                kept[i, other] &= not (kept[i, first] and over[first, other])
    show(kept)
    show(True, np.array([64.0, 72.0, 72.0]))


@program
def radiance():
    net = leaves(w=0.3 * numbers(27, 16, a=7), b=numbers(16, a=91), v=0.4 * numbers(43, 4, a=37))
    o, d = (0.2 * numbers(7, 3, a=13)).requires_grad_(), F.normalize(numbers(7, 3, a=331), dim=1)
    t = 2 + 0.5 * torch.arange(6) + 0.1 * numbers(7, 6, a=97)
    colour = 0.5 + 0.5 * numbers(7, 3, a=59)
    x = o[:, None] + d[:, None] * t[:, :, None]
    e = torch.cat([x] + [f(2.0**i * x) for i in range(4) for f in (torch.sin, torch.cos)], 2)
    y = torch.cat([F.relu(e @ net["w"] + net["b"]), e], 2) @ net["v"]
    between = torch.cat([t.diff(dim=1), torch.full((7, 1), 1e10)], 1)
    opaque = 1 - torch.exp(-F.relu(y[..., 3]) * between)
    light = torch.cumprod(1 - opaque + 1e-10, 1)
    weight = opaque * torch.cat([torch.ones(7, 1), light[:, :-1]], 1)
    rgb, depth = (torch.sigmoid(y[..., :3]) * weight[..., None]).sum(1), (weight * t).sum(1)
    l = ((rgb - colour) ** 2).mean()
    by = torch.autograd.grad(l, (net["w"], net["b"], net["v"], o))
    show(l, rgb, depth, weight)
    show(by[0][3], by[1], by[2][20], by[0].abs().sum())
    show(by[3])


@program
def shifted_windows():
    net = leaves(qkv=numbers(6, 3, 2, 3, a=37), o=numbers(2, 3, 6, a=91), table=numbers(9, 2, a=331),
                 merge=0.3 * numbers(24, 8, a=59), head=numbers(8, 3, a=97))
    x, t = numbers(5, 4, 4, 6, a=101).requires_grad_(), torch.tensor([0, 2, 1, 1, 0])
    place = torch.stack(torch.meshgrid(torch.arange(2), torch.arange(2), indexing="ij")).flatten(1)
    between = place[:, :, None] - place[:, None]
    between = (between[0] + 1) * 3 + between[1] + 1
    r = (torch.arange(4) >= 2).int() + (torch.arange(4) >= 3).int()

    def parts(x):
        return x.reshape(-1, 2, 2, 2, 2, x.shape[-1]).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, 4, x.shape[-1])

    of = parts((r[:, None] * 3 + r)[None, :, :, None])[0, :, :, 0]
    near = (of[:, :, None] == of[:, None])[:, None]

    def attended(x, shifted):
        q, k, v = torch.einsum("nwtd,dkhe->knwhte", x, net["qkv"])
        s = q @ k.transpose(-1, -2) / np.sqrt(3) + net["table"][between].permute(2, 0, 1)
        s = torch.where(near, s, s - 100) if shifted else s
        return torch.einsum("nwhte,hed->nwtd", s.softmax(-1) @ v, net["o"])

    def whole(x):
        return x.reshape(-1, 2, 2, 2, 2, 6).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, 4, 6)

    y = x + whole(attended(parts(x), False))
    y = y + whole(attended(parts(y.roll((-1, -1), (1, 2))), True)).roll((1, 1), (1, 2))
    z = (F.layer_norm(parts(y).reshape(5, 4, 24), (24,)) @ net["merge"]).mean(1) @ net["head"]
    l = F.cross_entropy(z, t)
    by = torch.autograd.grad(l, (net["table"], net["qkv"], net["o"], net["merge"], x))
    show(l, z)
    show(by[0], by[1][2], by[2][1], by[3][5])
    show(by[4].sum((1, 2)))


@program
def codebook():
    net = leaves(enc=numbers(4, 1, 2, 2, a=331), book=numbers(8, 4, a=97), dec=0.7 * numbers(4, 1, 2, 2, a=59))
    x = numbers(7, 1, 6, 6, a=101)
    adam = torch.optim.Adam(net.values(), lr=0.05)

    def objective():
        z = F.conv2d(x, net["enc"], stride=2)
        rows = z.permute(0, 2, 3, 1).reshape(-1, 4)
        code = ((rows[:, None] - net["book"]) ** 2).sum(2).argmin(1)
        q = net["book"][code].reshape(7, 3, 3, 4).permute(0, 3, 1, 2)
        pull = ((q - z.detach()) ** 2).mean() + 0.25 * ((q.detach() - z) ** 2).mean()
        y = F.conv_transpose2d(z + (q - z).detach(), net["dec"], stride=2)
        return 2 * ((y - x) ** 2).mean() + pull, pull, code

    for _ in range(4):
        l, pull, code = objective()
        adam.zero_grad()
        l.backward()
        show(l, pull, torch.bincount(code, minlength=8))
        show(net["enc"].grad[1], net["book"].grad, net["dec"].grad[2])
        adam.step()
    show(objective()[2].reshape(7, 9))


@program
def gradient_penalty():
    critic = leaves(k=numbers(4, 1, 3, 3, a=331), b=0.2 * numbers(4, a=59), w=0.5 * numbers(36, a=97))
    maker = leaves(w=numbers(3, 36, a=37), k=numbers(1, 1, 3, 3, a=101))
    images, z, between = numbers(5, 1, 6, 6, a=13), numbers(5, 3, a=71), 0.5 + 0.5 * numbers(5, a=211)
    adam = [torch.optim.Adam(net.values(), lr=0.01, betas=(0.5, 0.9)) for net in (critic, maker)]

    def judged(x):
        return F.leaky_relu(F.conv2d(x, critic["k"], critic["b"], 2, 1), 0.2).flatten(1) @ critic["w"]

    def made():
        return torch.tanh(F.conv2d((z @ maker["w"]).reshape(5, 1, 6, 6), maker["k"], padding=1))

    for _ in range(3):
        y = made().detach()
        x = (images + between.reshape(5, 1, 1, 1) * (y - images)).requires_grad_()
        (g,) = torch.autograd.grad(judged(x).sum(), x, create_graph=True)
        held = ((g.flatten(1).norm(dim=1) - 1) ** 2).mean()
        l = judged(y).mean() - judged(images).mean() + 10 * held
        adam[0].zero_grad()
        l.backward()
        show(l, held, critic["k"].grad[2], critic["w"].grad[:4])
        adam[0].step()
        m = -judged(made()).mean()
        adam[1].zero_grad()
        m.backward()
        show(m, maker["k"].grad, maker["w"].grad[1, :4])
        adam[1].step()


@program
def graph_attention():
    w, a, head = (numbers(*s, a=k).requires_grad_() for s, k in (((2, 5, 4), 331), ((2, 8), 97), ((8, 3), 59)))
    cell = leaves(w=numbers(8, 24, a=7), u=numbers(8, 24, a=37), b=numbers(24, a=91), c=numbers(24, a=53))
    x = numbers(9, 5, a=101).requires_grad_()
    source, goal = torch.arange(23) * 7 % 9, torch.arange(23) * 5 % 9
    t = torch.tensor([0, 1, 2, 2, 1, 0, 1, 1, 2])

    def gathered(v):
        return torch.zeros(9, *v.shape[1:], dtype=v.dtype).index_add(0, goal, v)

    heads = []
    for k in range(2):
        h = x @ w[k]
        e = torch.exp(F.leaky_relu(torch.cat([h[goal], h[source]], 1) @ a[k], 0.2))
        heads.append(gathered(h[source] * (e / gathered(e)[goal])[:, None]))
    h = F.relu(torch.cat(heads, 1))
    degree = torch.bincount(goal, minlength=9) + 1
    n = degree.double().rsqrt()
    for _ in range(2):
        y = gathered(h[source] * (n[source] * n[goal])[:, None]) + h / degree[:, None]
        p, q = (y @ cell["w"] + cell["b"]).chunk(3, 1), (h @ cell["u"] + cell["c"]).chunk(3, 1)
        z = torch.sigmoid(p[1] + q[1])
        h = (1 - z) * torch.tanh(p[2] + torch.sigmoid(p[0] + q[0]) * q[2]) + z * h
    z = h @ head
    l = F.cross_entropy(z[:6], t[:6])
    by = torch.autograd.grad(l, (w, a, cell["u"], cell["c"], head, x))
    show(l, z)
    show(by[0][1], by[1], by[2][3], by[3], by[4])
    show(by[5])


@program
def rollouts():
    net = leaves(w=numbers(4, 8, a=331), actor=numbers(8, 2, a=97), judge=0.3 * numbers(8, a=59))
    adam = torch.optim.Adam(net.values(), lr=0.02)
    draws = 0.5 + 0.499 * numbers(7, 12, a=101)
    for _ in range(3):
        s, alive = 0.05 * numbers(7, 4, a=13), torch.ones(7, dtype=torch.float64)
        chosen, judged, there = [], [], []
        for t in range(12):
            h = F.relu(s @ net["w"])
            log_p = F.log_softmax(h @ net["actor"], 1)
            right = (log_p[:, 1].exp() > draws[:, t]).long()
            chosen.append(log_p.gather(1, right[:, None])[:, 0])
            judged.append(h @ net["judge"])
            there.append(alive)
            x, v, angle, w = s.T
            push = (torch.where(right == 1, 10.0, -10.0) + 0.05 * w * w * torch.sin(angle)) / 1.1
            turn = (9.8 * torch.sin(angle) - torch.cos(angle) * push) / (0.5 * (4 / 3 - 0.1 * torch.cos(angle) ** 2 / 1.1))
            s = torch.stack([x + 0.02 * v, v + 0.02 * (push - 0.05 * turn * torch.cos(angle) / 1.1), angle + 0.02 * w, w + 0.02 * turn], 1)
            alive = alive * ((s[:, 0].abs() < 2.4) & (s[:, 2].abs() < 0.05))
        chosen, judged, there = (torch.stack(x, 1) for x in (chosen, judged, there))
        left, worth = torch.zeros(7, dtype=torch.float64), torch.zeros(7, 12, dtype=torch.float64)
        for t in reversed(range(12)):
            left = there[:, t] * (1 + 0.99 * left)
            worth[:, t] = left
        n = there.sum()
        middle = (there * worth).sum() / n
        goal = (worth - middle) / (((there * (worth - middle) ** 2).sum() / n).sqrt() + 1e-7)
        l = (there * (F.huber_loss(judged, goal, reduction="none") - chosen * (goal - judged).detach())).sum() / n
        adam.zero_grad()
        l.backward()
        show(l, n, net["actor"].grad, net["judge"].grad, net["w"].grad[2])
        adam.step()


@program
def optimizers_of_matrices():
    x, t = numbers(12, 6, a=13), torch.arange(12) * 7 % 5

    def net():
        return leaves(w=numbers(6, 8, a=37), b=0.1 * numbers(8, a=91), v=numbers(8, 5, a=53), k=numbers(2, 4, 5, a=71))

    def loss(n):
        h = torch.tanh(x @ n["w"] + n["b"])
        return F.cross_entropy(h @ n["v"] + torch.einsum("nij,ijo->no", h.view(12, 2, 4), n["k"]), t)

    def orthogonal(m):
        tall = m.shape[0] > m.shape[1]
        x = (m.T if tall else m) / (m.norm() + 1e-7)
        for _ in range(5):
            y = x @ x.T
            x = 3.4445 * x + (2.0315 * y @ y - 4.775 * y) @ x
        return x.T if tall else x

    a, f, m = net(), net(), {"w": 0.0, "v": 0.0}
    adafactor = torch.optim.Adafactor(f.values(), lr=0.1, weight_decay=0.01, eps=(1.1920929e-7, 1e-3))
    adamw = {k: torch.optim.AdamW([a[k]], lr=0.01, betas=(0.9, 0.95), weight_decay=0.1) for k in "bk"}

    def muon(names, momentum, decay):
        for k in names:
            with torch.no_grad():
                d = a[k].grad
                m[k] = momentum * m[k] + (1 - momentum) * d
                u = (1 - momentum) * d + momentum * m[k]
                a[k].mul_(1 - 0.02 * decay).sub_(0.02 * max(1, d.shape[1] / d.shape[0]) ** 0.5 * orthogonal(u))

    def step():
        l, r = loss(a), loss(f)
        for n, y in ((a, l), (f, r)):
            for q in n.values():
                q.grad = None
            y.backward()
        return l, r

    def shown():
        for n in (a, f):
            show(n["w"], n["b"], n["v"][3], n["k"][1, 2])

    for _ in range(4):
        show(*step())
        muon("wv", 0.95, 0.1)
        for o in adamw.values():
            o.step()
        adafactor.step()
    shown()
    step()
    muon("w", 0.9, 0.05)
    adamw["b"].param_groups[0]["weight_decay"] = 0.0
    adamw["k"].param_groups[0]["weight_decay"] = 0.05
    v = torch.optim.AdamW([a["v"]], lr=0.01, betas=(0.9, 0.95), weight_decay=0.05)
    for o in (*adamw.values(), v):
        o.step()
    adafactor.param_groups[0].update(lr=0.5, beta2_decay=-0.5, eps=(1.1920929e-7, 0.01), d=2.0, weight_decay=0.0)
    adafactor.step()
    shown()


@program
def positions_rotated():
    w = leaves(wq=numbers(5, 4, 8, a=37), wk=numbers(5, 2, 8, a=53), table=numbers(6, 4, a=91))
    x, place = numbers(2, 24, 5, a=13), torch.arange(24)

    def heads(k):
        return torch.einsum("ntd,dme->nmte", x, w[k])

    def turned(x, first=0, rates=None, neighbours=False):
        rates = 10000.0 ** (-torch.arange(4).double() / 4) if rates is None else rates
        angle = (place + first)[:, None] * rates
        a, b = (x[..., ::2], x[..., 1::2]) if neighbours else x.chunk(2, -1)
        y = a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()
        return torch.stack(y, -1).flatten(-2) if neighbours else torch.cat(y, -1)

    def attention(q, k, v, scale, bias):
        return (q @ k.repeat_interleave(2, 1).transpose(-1, -2) * scale + bias).softmax(-1) @ v.repeat_interleave(2, 1)

    rates = 500.0 ** (-torch.arange(4).double() / 4)
    wave = 2 * np.pi / rates
    between = (20 / wave - 1) / (3 - 1) * rates + (1 - (20 / wave - 1) / (3 - 1)) * rates / 4
    rates = torch.where(wave < 20 / 3, rates, torch.where(wave > 20, rates / 4, between))
    far = place - place[:, None]
    d = far.abs()
    long = 1 + (torch.log(d.clamp(min=1).float()) / np.log(12.0) * 2).long()
    bucket = torch.where(far > 0, 3, 0) + torch.where(d < 2, d, long.clamp(max=2))
    o = attention(turned(heads("wq"), rates=rates), turned(heads("wk"), rates=rates), heads("wk"), 0.5, w["table"][bucket].permute(2, 0, 1))
    hidden = torch.where((far <= 0) & (far > -5), 0.0, -np.inf)
    near = attention(turned(heads("wq"), 3, None, True), turned(heads("wk"), 3, None, True), heads("wk"), 0.2, hidden)
    l = (o**2).mean() + (near * o).mean()
    l.backward()
    show(l, w["wq"].grad[1], w["wk"].grad[2], w["table"].grad)
    w["wq"].grad = w["wk"].grad = None
    l = (attention(turned(heads("wq")), turned(heads("wk")), heads("wk"), 0.5, torch.where(far <= 0, 0.0, -np.inf)) ** 2).mean()
    l.backward()
    show(l, w["wq"].grad[1], w["wk"].grad[2])


@program
def attention_seen():
    w = leaves(q=numbers(4, 4, 3, 8, a=37), k=numbers(4, 2, 5, 8, a=53), bias=numbers(4, 4, 3, 5, a=91))
    q, k, bias = w["q"], w["k"], w["bias"]

    def seen(*sizes, a):
        return (torch.arange(int(np.prod(sizes))) * a % 7 > 1).reshape(sizes)

    def attention(v, scale, cap, add, hidden):
        s = q @ k.repeat_interleave(2, 1).transpose(-1, -2) * scale
        s = (cap * torch.tanh(s / cap) if cap else s) + add
        return s.masked_fill(hidden, -1e30).softmax(-1) @ v.repeat_interleave(2, 1)

    def gradients(l):
        for x in w.values():
            x.grad = None
        l.backward()

    l = (attention(0.5 * k, 0.9, 0.7, bias, ~seen(4, 4, 3, 5, a=5)) ** 2).sum()
    gradients(l)
    show(l, q.grad[1, 2], k.grad[0, 1], bias.grad[3, 2])
    show(True, True)
    far = torch.arange(5) - (torch.arange(3) + 2)[:, None]
    o = attention(k, 8**-0.5, None, bias[0, 0], ~seen(4, 1, 3, 5, a=3) | (far > 0))
    l = (o * attention(k, 8**-0.5, 2.0, bias[:, :1], (far > 0) | (far < -2))).sum()
    gradients(l)
    show(l, q.grad[1, 2], k.grad[0, 1], bias.grad[0, 0], bias.grad[1, 0, 1])
    at = torch.tensor([[0, 0, 1], [0, 1, 2], [0, 0, 0], [5, 6, 7]])
    c = torch.polar(torch.tensor(1.0).double(), at[:, None, :, None] * 10000.0 ** (-torch.arange(4).double() / 4))
    a = torch.view_as_real(torch.complex(*q.detach().double().chunk(2, -1)) * c)
    b = torch.view_as_real(torch.view_as_complex(q.detach().double().unflatten(-1, (4, 2))) * c)
    show((torch.cat([a[..., 0], a[..., 1]], -1) + b.flatten(-2))[1, 2], True)


@program
def bounds_of_clamp():
    w = leaves(x=numbers(6, 4, a=337), low=numbers(4, a=91) - 0.1, high=0.9 + 0.4 * numbers(6, 4, a=53))
    l = (w["x"].clamp(w["low"], w["high"]) * (w["x"] + 2)).sum()
    l.backward()
    show(l, w["x"].grad, w["low"].grad, w["high"].grad)
    show(w["x"].clamp(w["low"], torch.tensor(0.2)), w["x"].clamp(torch.tensor(-0.5), w["high"]))


@program
def federated():
    net = [numbers(5, 8, a=37), 0.1 * numbers(8, a=91), numbers(8, 3, a=53)]
    x, t = numbers(6, 6, 5, a=13), (torch.arange(36) * 5 % 7 % 3).reshape(6, 6)
    share = 2 + numbers(6, a=331)
    share, speed = share / share.sum(), [0 * w for w in net]

    def loss(n, x, t):
        return F.cross_entropy(torch.tanh(x @ n[0] + n[1]) @ n[2], t)

    for _ in range(4):
        losses, together = [], [0 * w for w in net]
        for k in range(6):
            n = [w.clone().requires_grad_() for w in net]
            for i in (0, 2, 4):
                g = torch.autograd.grad(loss(n, x[k, i : i + 2], t[k, i : i + 2]), n)
                n = [(w - 0.2 * d).detach().requires_grad_() for w, d in zip(n, g)]
            losses.append(loss(n, x[k], t[k]).detach())
            together = [s + share[k] * w.detach() for s, w in zip(together, n)]
        show(torch.stack(losses))
        way = [w - s for w, s in zip(net, together)]
        speed = [0.9 * v + d for v, d in zip(speed, way)]
        net = [w - 0.7 * (d + 0.9 * v) for w, d, v in zip(net, way, speed)]
    print("Net(" + ", ".join(f"{k} = {text(w)}" for k, w in zip("wbv", net)) + ")", file=out)
    print("Net(" + ", ".join(f"{k} = {text(torch.stack([w.max(), w.min()]))}" for k, w in zip("wbv", net)) + ")", file=out)


@program
def forces():
    A, D = 4, 5
    w = leaves(kinds=numbers(3, D, a=37), f1=numbers(6, D, a=53), f2=numbers(D, D, a=71), inner=numbers(D, D, a=91), angle=numbers(2, D, a=13),
               out=numbers(D, a=331), pair=0.5 * numbers(2 * D + 1, D, a=97), way=0.3 * numbers(D, a=59))
    r, z = (1.2 * numbers(6, A, 3, a=101)).requires_grad_(), (torch.arange(24) * 5 % 7 % 3).reshape(6, A)
    e, f = numbers(6, a=29), numbers(6, A, 3, a=17)
    one, h = torch.eye(A, dtype=torch.float64), w["kinds"][z]
    to, off = r[:, :, None] - r[:, None], 1 - one
    d = ((to**2).sum(-1) + one).sqrt()
    reach = torch.where(d < 2.5, 0.5 * (torch.cos(np.pi * d / 2.5) + 1), 0.0) * off
    filters = (F.softplus(torch.exp(-2 * (d[..., None] - torch.linspace(0, 2.5, 6).double()) ** 2) @ w["f1"]) @ w["f2"]) * reach[..., None]
    x = h
    for _ in range(2):
        x = x + F.softplus((filters * (x @ w["inner"])[:, None]).sum(2))
    u = to / d[..., None]
    t = torch.acos(torch.einsum("bijx,bikx->bijk", u, u).clamp(-0.999, 0.999))
    basis = torch.stack([t.cos(), (2 * t).cos()], -1)
    g = torch.einsum("bij,bik,jk,bijkc,cf->bif", reach, reach, off, basis, w["angle"])
    y = (torch.tanh(x + g) @ w["out"]).sum(1)
    dy = torch.autograd.grad(y.sum(), r, create_graph=True)[0]
    both = torch.cat([h[:, :, None].expand(-1, A, A, D), h[:, None].expand(-1, A, A, D), (to**2).sum(-1, keepdim=True)], -1)
    m = F.silu(both @ w["pair"]) * off[..., None]
    moved = r + (to * torch.tanh(m @ w["way"])[..., None]).sum(2) / 3
    l = ((y - e) ** 2 + 10 * ((dy + f) ** 2).mean((1, 2)) + ((moved - f) ** 2).mean((1, 2))).mean()
    l.backward()
    show(l, dy[1])
    show(w["kinds"].grad, w["f1"].grad[2], w["angle"].grad, w["out"].grad, w["pair"].grad[3], w["way"].grad)
    show(r.grad[4])


@program
def matrix_states():
    w = leaves(wq=numbers(5, 2, 4, a=37), wk=numbers(5, 2, 4, a=53), wv=numbers(5, 2, 4, a=71), wa=numbers(5, 2, 4, a=91), wb=numbers(5, 2, a=13),
               decay=numbers(8, a=331), bonus=numbers(8, a=97))
    x = numbers(6, 9, 5, a=101).requires_grad_()
    q, k, v, a = (torch.einsum("ntd,dhe->nhte", x, w[n]) for n in ("wq", "wk", "wv", "wa"))
    rates = 1 - 2.0 ** (-3 - torch.arange(2).double())
    zero = torch.zeros(6, 2, 4, 4, dtype=torch.float64)

    def steps(q, k, v, a):
        s, out = zero, []
        for t in range(9):
            s = s * a[:, :, t, :, None] + k[:, :, t, :, None] * v[:, :, t, None]
            out.append(torch.einsum("nhd,nhde->nhe", q[:, :, t], s))
        return torch.stack(out, 2)

    def delta(q, k, v, beta):
        s, out = zero, []
        for t in range(9):
            old = torch.einsum("nhde,nhd->nhe", s, k[:, :, t])
            s = s + k[:, :, t, :, None] * (v[:, :, t] - old)[:, :, None] * beta[:, :, t, None, None]
            out.append(torch.einsum("nhd,nhde->nhe", q[:, :, t], s))
        return torch.stack(out, 2)

    def wkv(k, v):
        """Without a maximum, by the definition."""
        out = []
        for t in range(9):
            far = torch.arange(t - 1, -1, -1).double()[:, None]
            share = torch.exp(torch.cat([k[:, :t] - far * torch.exp(w["decay"]), w["bonus"] + k[:, t : t + 1]], 1))
            out.append((share * v[:, : t + 1]).sum(1) / share.sum(1))
        return torch.stack(out, 1)

    b = steps(q, k, v, rates[:, None, None].expand(6, 2, 9, 4))
    u = F.normalize(k, dim=-1)
    c = delta(F.normalize(q, dim=-1), u, v, torch.einsum("ntd,dh->nht", x, w["wb"]).sigmoid())
    d = steps(q, u, v, a.sigmoid())
    e = wkv(k.permute(0, 2, 1, 3).flatten(2), v.permute(0, 2, 1, 3).flatten(2))
    l = (b**2).mean() + b.sin().mean() + (c**2).mean() + d.abs().mean() + (e**3).mean()
    l.backward()
    show(l, True, c[1, 1, 8], d[1, 0, 8], e[1, 8])
    show(*(w[n].grad[i] for n, i in zip(("wq", "wk", "wv", "wa"), (1, 2, 3, 4))), w["wb"].grad, w["decay"].grad, w["bonus"].grad)
    show(x.grad[5, 2])


@program
def triangles():
    S, L, C = 6, 5, 4

    def attention(a, b, c):
        return leaves(qkv=numbers(C, 3, 2, 4, a=a), o=numbers(2, 4, C, a=b), bias=numbers(C, 2, a=c))

    def side():
        return leaves(a=numbers(C, 3, a=97), ga=numbers(C, 3, a=59), b=numbers(C, 3, a=101), gb=numbers(C, 3, a=29), o=numbers(3, C, a=17), g=numbers(C, C, a=41))

    rows, node, sides = attention(37, 53, 71), attention(91, 13, 331), (side(), side())
    w = leaves(left=numbers(C, 3, a=43), right=numbers(C, 3, a=47), joined=numbers(3, 3, C, a=61), bins=numbers(C, 4, a=67), frame=numbers(C, 3, a=73))
    msa, pairs, at = numbers(S, L, C, a=79), numbers(L, L, C, a=83), numbers(L, 3, a=89)

    def norm(x):
        return F.layer_norm(x, x.shape[-1:])

    def attended(x, z, w):
        q, k, v = torch.einsum("sic,ckhe->kshie", norm(x), w["qkv"])
        bias = torch.einsum("ijc,ch->hij", z, w["bias"])
        return x + torch.einsum("shie,hec->sic", F.scaled_dot_product_attention(q, k, v, attn_mask=bias), w["o"])

    def distances(x):
        d = ((x[:, None] - x) ** 2).sum(-1)
        return torch.where(d > 0, d, 1.0).sqrt() * (d > 0)

    m = attended(msa, pairs, rows)
    x = norm(m)
    z = pairs + torch.einsum("siu,sjv,uvc->ijc", x @ w["left"], x @ w["right"], w["joined"]) / S
    for i, s in enumerate(sides):
        x = norm(z)
        a, b = (x @ s["ga"]).sigmoid() * (x @ s["a"]), (x @ s["gb"]).sigmoid() * (x @ s["b"])
        y = torch.einsum("kic,kjc->ijc" if i else "ikc,jkc->ijc", a, b)
        z = z + (x @ s["g"]).sigmoid() * (norm(y) @ s["o"])
    z = attended(z, norm(z), node)
    l = F.cross_entropy(((z + z.transpose(0, 1)) @ w["bins"]).flatten(0, 1), torch.arange(L * L) * 5 % 7 % 4)
    off = 1 - torch.eye(L).double()
    l = l - (torch.sigmoid(1 - (distances(m.mean(0) @ w["frame"]) - distances(at)).abs()) * off).sum() / off.sum()
    l.backward()
    show(l, z[1], z[4, 2])
    show(rows["qkv"].grad[1, 0], rows["bias"].grad, node["o"].grad[1], node["bias"].grad)
    show(sides[0]["ga"].grad, sides[0]["b"].grad[2], sides[1]["a"].grad, sides[1]["g"].grad, w["left"].grad, w["joined"].grad[1], w["frame"].grad)


@program
def multigrid():
    def apply(u, h):
        p = np.pad(u, 1)
        return (2 * u - p[:-2] - p[2:]) / (h * h)

    def smooth(u, f, h):
        for _ in range(2):
            u = u + 2 / 3 * 0.5 * h * h * (f - apply(u, h))
        return u

    def cycle(u, f, h):
        n = len(u)
        if n == 1:
            return f * h * h / 2
        x, m = smooth(u, f, h), (n - 1) // 2
        r = f - apply(x, h)
        c = 0.25 * r[0:2 * m:2] + 0.5 * r[1::2] + 0.25 * r[2::2]
        e, q = cycle(0 * c, c, 2 * h), np.zeros(n)
        q[1::2] += e
        q[0:2 * m:2] += 0.5 * e
        q[2::2] += 0.5 * e
        return smooth(x + q, f, h)

    f, u, h = np.sin(np.arange(63) * 0.3) + 1, np.zeros(63), 1 / 64
    for _ in range(4):
        u = cycle(u, f, h)
        show(np.sqrt(((f - apply(u, h)) ** 2).sum()), u[31])


@program
def physics_informed():
    i = torch.arange(6).double()
    w, b, v = [p.requires_grad_() for p in (1 + torch.sin(i), torch.cos(i), torch.sin(3 * i))]
    x = (torch.arange(11).double() / 5 - 1).requires_grad_()
    u = (torch.tanh(x[:, None] * w + b) * v).sum(1)
    d, = torch.autograd.grad(u.sum(), x, create_graph=True)
    dd, = torch.autograd.grad(d.sum(), x, create_graph=True)
    l = ((dd + d * u - torch.sin(x)) ** 2).mean()
    l.backward()
    show(l, w.grad[None], b.grad, v.grad)


@program
def fixed_point():
    w = (0.4 * torch.sin(torch.arange(16).double())).reshape(4, 4).requires_grad_()
    x = torch.cos(torch.arange(28).double()).reshape(7, 4).requires_grad_()
    z = 0 * x
    for _ in range(200):
        z = torch.tanh(z @ w + x)
    l = (z ** 3).sum()
    l.backward()
    show(l, w.grad, x.grad[3])


@program
def subsets():
    towns = 10 * np.sin(np.arange(70) * 2.1).reshape(5, 7, 2)
    d = np.sqrt(((towns[:, :, None] - towns[:, None]) ** 2).sum(-1))
    orders = [(0,) + t for t in itertools.permutations(range(1, 7))]
    show(np.array([min(sum(m[a, b] for a, b in zip(t, t[1:] + t[:1])) for t in orders) for m in d]))


for name in sys.argv[1:] or programs:
    with open(Path(__file__).with_name(name + ".out"), "w", encoding="utf-8") as out:
        programs[name]()
