"""Functions of the library one by one beside PyTorch eager, on one core of both sides: what a user meets who tries the first that comes to mind.

    functions.py BUILD_DIR [PATTERN…]   those whose names a regular expression fits; all if none is given

A program for each function computes it step after step of params (most are 1024 x 1024), which stay in the third cache; printed are the least
processor times of a step and what PyTorch takes of ours. In the end stand those below 1.15. PYTHON needs torch, CORE is the core, ROUNDS how
often a program runs, PMLC_OPTIONS what else pmlc is told (with `--target-cpu=x86-64-v3` PyTorch is held to AVX2, as far as it can be told)."""
import os
import re
import subprocess
import sys
import tempfile
import time

import peers

os.environ.update(OMP_NUM_THREADS="1", **(peers.NARROW if peers.OPTIONS else {}))
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

N = 1024
IMPORTS = "".join("import std.%s;\n" % m for m in ("nn", "loss", "windows", "fft", "linalg")) + "op squares_up_to(a[.., j], n: int) -> [.., n] = sum[j] where(j <= n, a * a, 0);\n"
TYPES = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16}
SQUARE = [N, N]
# name: (type, shape, low, high), uniform between the last two, or normal of the deviation that stands alone
PARAMS = {
    "x": ("f32", SQUARE, 1), "y": ("f32", SQUARE, 1), "u": ("f32", SQUARE, 0.01, 0.99), "g": ("f32", SQUARE, 1.1, 9.0),
    "xd": ("f64", SQUARE, 1), "yd": ("f64", SQUARE, 1), "ud": ("f64", SQUARE, 0.01, 0.99), "gd": ("f64", SQUARE, 1.1, 9.0),
    "xh": ("bf16", SQUARE, 1), "yh": ("bf16", SQUARE, 1), "xf": ("f16", SQUARE, 1), "yf": ("f16", SQUARE, 1),
    "v": ("f32", [N * N], 1), "vd": ("f64", [N * N], 1), "w": ("f32", [N], 1), "t": ("f32", [64, 128, 128], 1),
    "image": ("f32", [16, 32, 64, 64], 1), "filter": ("f32", [32, 32, 3, 3], 0.1), "grouped": ("f32", [32, 8, 3, 3], 0.1),
    "turned": ("f32", [32, 16, 4, 4], 0.1), "grid": ("f32", [16, 64, 64, 2], -1.0, 1.0), "line": ("f32", [16, 64, 1024], 1),
    "long": ("f32", [64, 64, 31], 0.1), "m4": ("f32", [10000, 4, 4], 1), "m8": ("f32", [4096, 8, 8], 1), "m16": ("f32", [1000, 16, 16], 1),
    "m32": ("f32", [256, 32, 32], 1),
    "m64": ("f32", [512, 64, 64], 1), "odd": ("f32", [64, 100, 37], 1), "odder": ("f32", [64, 37, 53], 1),
    "picture": ("f32", [16, 64, 56, 56], 1), "five": ("f32", [64, 1, 5, 5], 0.1), "three": ("f32", [64, 64, 3, 3], 0.05),
    "m128": ("f32", [128, 128], 1), "m512": ("f32", [512, 512], 1), "q": ("f32", [8, 8, 256, 64], 1), "k": ("f32", [8, 8, 256, 64], 1), "l": ("f32", [8, 8, 256, 64], 1),
    "qh": ("bf16", [8, 8, 256, 64], 1), "kh": ("bf16", [8, 8, 256, 64], 1), "lh": ("bf16", [8, 8, 256, 64], 1),
    "xi": ("bf16", [16, 64, 56, 56], 1), "wi": ("bf16", [64, 64, 3, 3], 0.05),
    "z": ("f32", [1000, 1000], 1), "prime": ("f32", [1000, 1009], 1), "half": ("f32", [1000, 513], 1), "short": ("f32", [4096, 128], 1), "table": ("f32", [10000, 256], 1), "scores": ("f32", [16, 100, 40], 1),
}
# What is made of them before the steps: (type, in PML, in PyTorch)
STATES = {
    "i": ("i32[1024, 1024]", "(x * 1000.0) as i32", lambda p: (p.x * 1000).int()),
    "j": ("i32[1024, 1024]", "(y * 100.0) as i32 * 2 + 1", lambda p: (p.y * 100).int() * 2 + 1),
    "b": ("bool[1024, 1024]", "x > 0.0", lambda p: p.x > 0),
    "at": ("i32[1024, 1024]", "(abs(x) * 200000.0) as i32 % 1024", lambda p: (p.x.abs() * 200000).int() % 1024),
    "ids": ("i32[1048576]", "(abs(v) * 200000.0) as i32 % 1000", lambda p: (p.v.abs() * 200000).int() % 1000),
    "rows": ("i32[1024]", "(abs(w) * 200000.0) as i32 % 1024", lambda p: (p.w.abs() * 200000).int() % 1024),
    "tokens": ("i32[64, 128]", "reshape((abs(v[0..8192]) * 200000.0) as i32 % 10000, [64, 128])",
               lambda p: ((p.v[:8192].abs() * 200000).int() % 10000).reshape(64, 128)),
    "words": ("i32[16, 20]", "reshape((abs(v[0..320]) * 200000.0) as i32 % 39 + 1, [16, 20])",
              lambda p: ((p.v[:320].abs() * 200000).int() % 39 + 1).reshape(16, 20)),
    "edges": ("f32[1000]", "sort(v[0..1000])", lambda p: p.v[:1000].sort()[0]),
}
# Pairs of params as complex numbers, in PyTorch alone
PAIRS = {"wave": ("half", "half"), "waves": ("short", "short"), "waved": ("xd", "yd")}
FUNCTIONS = {}  # name: (type of the result, in PML, in PyTorch)
GRADIENTS = {}  # name: (params, in PML, in PyTorch)


def value(name, kind, text, function):
    FUNCTIONS[name] = (kind, text, function)


def of_params(function, names):
    return lambda p: function(*(getattr(p, n) for n in names))


def pointwise(text, function, names, types=("", "d")):
    """Of params of some types, which their names end with."""
    for end in types:
        chosen = [n + end for n in names]
        kind = PARAMS[chosen[0]][0]
        call = text.format(*chosen)
        value(re.split(r"[( ]", text)[0] + ("" if kind == "f32" else "." + kind), kind + "[1024, 1024]", call, of_params(function, chosen))


for row in [
        ("exp({})", torch.exp, "x"), ("ln({})", torch.log, "u"), ("log2({})", torch.log2, "u"), ("log1p({})", torch.log1p, "u"),
        ("expm1({})", torch.expm1, "x"), ("sqrt({})", torch.sqrt, "u"), ("rsqrt({})", torch.rsqrt, "u"), ("tanh({})", torch.tanh, "x"),
        ("erf({})", torch.erf, "x"), ("erfinv({})", torch.erfinv, "u"), ("sin({})", torch.sin, "x"), ("cos({})", torch.cos, "x"),
        ("tan({})", torch.tan, "x"), ("atan({})", torch.atan, "x"), ("asin({})", torch.asin, "u"), ("acos({})", torch.acos, "u"),
        ("sinh({})", torch.sinh, "x"), ("cosh({})", torch.cosh, "x"), ("asinh({})", torch.asinh, "x"), ("acosh({})", torch.acosh, "g"),
        ("atanh({})", torch.atanh, "u"), ("lgamma({})", torch.lgamma, "u"), ("digamma({})", torch.digamma, "u"),
        ("round({})", torch.round, "x"), ("abs({})", torch.abs, "x"), ("sign({})", torch.sign, "x"), ("sigmoid({})", torch.sigmoid, "x"),
        ("silu({})", F.silu, "x"), ("gelu({})", F.gelu, "x"), ("softplus({})", F.softplus, "x"), ("nn.elu({})", F.elu, "x"),
        ("nn.mish({})", F.mish, "x"), ("softmax({})", lambda a: a.softmax(-1), "x"), ("log_softmax({})", lambda a: a.log_softmax(-1), "x"),
        ("layernorm({})", lambda a: F.layer_norm(a, (N,)), "x"), ("rmsnorm({})", lambda a: F.rms_norm(a, (N,)), "x"),
        ("transpose({})", lambda a: a.T.contiguous(), "x"), ("cumsum({})", lambda a: a.cumsum(-1), "x"),
        ("cumprod({})", lambda a: a.cumprod(-1), "x"), ("sort({})", lambda a: a.sort(-1)[0], "x"),
        ("pow({}, {})", torch.pow, "uy"), ("atan2({}, {})", torch.atan2, "xy"), ("hypot({}, {})", torch.hypot, "xy"),
        ("remainder({}, {})", torch.remainder, "xy"), ("xlogy({}, {})", torch.xlogy, "uy"), ("logaddexp({}, {})", torch.logaddexp, "xy"),
        ("maximum({}, {})", torch.maximum, "xy"), ("div({}, {})", torch.div, "xy"), ("matmul({}, {})", torch.matmul, "xy")]:
    pointwise(*row)
for row in [("exp({})", torch.exp, "x"), ("sigmoid({})", torch.sigmoid, "x"), ("gelu({})", F.gelu, "x"), ("softmax({})", lambda a: a.softmax(-1), "x"),
            ("layernorm({})", lambda a: F.layer_norm(a, (N,)), "x"), ("transpose({})", lambda a: a.T.contiguous(), "x"),
            ("add({}, {})", torch.add, "xy"), ("matmul({}, {})", torch.matmul, "xy")]:
    pointwise(*row, types="hf")

for name, text, f in [("add", "{} + {}", torch.add), ("mul", "{} * {}", torch.mul), ("mod", "{} % {}", torch.remainder),
                      ("divide", "floor_divide({}, {})", lambda a, b: torch.div(a, b, rounding_mode="floor"))]:
    value(name + ".i32", "i32[1024, 1024]", text.format("i", "j"), of_params(f, "ij"))
value("where", "f32[1024, 1024]", "where(b, x, y)", lambda p: torch.where(p.b, p.x, p.y))
value("f64_to_f32", "f32[1024, 1024]", "xd as f32", lambda p: p.xd.float())
value("f32_to_bf16", "bf16[1024, 1024]", "x as bf16", lambda p: p.x.bfloat16())

for name, kind, text, f in [
        ("sum", "f32[]", "sum(x)", lambda p: p.x.sum()), ("prod_rows", "f32[1024]", "prod(x, dim = 1)", lambda p: p.x.prod(1)),
        ("std_rows", "f32[1024]", "std(x, dim = 1)", lambda p: p.x.std(1)), ("std_columns", "f32[1024]", "std(x, dim = 0)", lambda p: p.x.std(0)),
        ("norm", "f32[]", "norm(x)", lambda p: p.x.norm()), ("any_rows", "bool[1024]", "any(b, dim = 1)", lambda p: p.b.any(1)),
        ("logsumexp", "f32[1024]", "logsumexp(x, dim = 1)", lambda p: p.x.logsumexp(1)), ("argmax", "i32[]", "argmax(v)", lambda p: p.v.argmax()),
        ("max_columns", "f32[1024]", "max(x, dim = 0)", lambda p: p.x.amax(0)), ("median", "f32[]", "median(v)", lambda p: p.v.median()),
        ("median_rows", "f32[1024]", "median(x, dim = 1)", lambda p: p.x.median(1)[0]),
        ("quantile", "f32[1024]", "quantile(x, 0.3, dim = 1)", lambda p: p.x.quantile(0.3, 1)),
        ("covariance", "f32[1024, 1024]", "covariance(x)", lambda p: p.x.cov()),
        ("cumsum_columns", "f32[1024, 1024]", "cumsum(x, dim = 0)", lambda p: p.x.cumsum(0)),
        ("cummax", "f32[1024, 1024]", "cummax(x)", lambda p: p.x.cummax(-1)[0]),
        ("logcumsumexp", "f32[1024, 1024]", "logcumsumexp(x)", lambda p: p.x.logcumsumexp(-1))]:
    value(name, kind, text, f)
for name, kind, text, f in [
        ("sort_all", "f32[1048576]", "sort(v)", lambda p: p.v.sort()[0]), ("sort_i32", "i32[1048576]", "sort(ids)", lambda p: p.ids.sort()[0]),
        ("argsort", "i32[1024, 1024]", "argsort(x)", lambda p: p.x.argsort(-1)),
        ("top_5", "f32[1024, 5]", "top_k(x, 5)[0]", lambda p: p.x.topk(5)[0]),
        ("searchsorted", "i32[1024, 1024]", "searchsorted(edges, x)", lambda p: torch.searchsorted(p.edges, p.x)),
        ("histogram", "i32[100]", "histogram(v, 100, -4.0, 4.0)", lambda p: torch.histc(p.v, 100, -4, 4)),
        ("take_rows", "f32[1024, 1024]", "x[rows]", lambda p: p.x[p.rows.long()]),
        ("take_along", "f32[1024, 1024]", "take_along(x, at)", lambda p: p.x.gather(1, p.at.long())),
        ("scatter_add", "f32[1024, 1024]", "scatter_add(rows, x, 1024)", lambda p: torch.zeros(N, N).index_add(0, p.rows.long(), p.x)),
        ("embedding", "f32[64, 128, 256]", "nn.embedding(table, tokens)", lambda p: F.embedding(p.tokens, p.table)),
        ("flip", "f32[1024, 1024]", "flip(x, dim = 1)", lambda p: p.x.flip(1)),
        ("roll", "f32[1024, 1024]", "roll(x, 3, dim = 1)", lambda p: p.x.roll(3, 1)),
        ("tril", "f32[1024, 1024]", "tril(x)", lambda p: p.x.tril()),
        ("pad", "f32[1024, 1030]", "pad(x, before = 3, after = 3)", lambda p: F.pad(p.x, (3, 3))),
        ("concat", "f32[1024, 2048]", "concat([x, y], dim = 1)", lambda p: torch.cat([p.x, p.y], 1)),
        ("permute", "f32[128, 128, 64]", "permute(t, [2, 1, 0])", lambda p: p.t.permute(2, 1, 0).contiguous())]:
    value(name, kind, text, f)
for name, kind, text, f in [
        ("matvec", "f32[1024]", "matvec(x, w)", lambda p: p.x @ p.w), ("products_4", "f32[10000, 4, 4]", "m4 @ m4", lambda p: p.m4 @ p.m4),
        ("products_8", "f32[4096, 8, 8]", "m8 @ m8", lambda p: p.m8 @ p.m8),
        ("products_16", "f32[1000, 16, 16]", "m16 @ m16", lambda p: p.m16 @ p.m16),
        ("products_32", "f32[256, 32, 32]", "m32 @ m32", lambda p: p.m32 @ p.m32),
        ("determinants_4", "f32[10000]", "linalg.det(m4)", lambda p: torch.linalg.det(p.m4)),
        ("determinants_8", "f32[4096]", "linalg.det(m8)", lambda p: torch.linalg.det(p.m8)),
        ("inverses_4", "f32[10000, 4, 4]", "linalg.inverse(m4)", lambda p: torch.linalg.inv(p.m4)),
        ("inverses_32", "f32[256, 32, 32]", "linalg.inverse(m32)", lambda p: torch.linalg.inv(p.m32)),
        ("inverses_64", "f32[512, 64, 64]", "linalg.inverse(m64)", lambda p: torch.linalg.inv(p.m64)),
        ("products_odd", "f32[64, 100, 53]", "odd @ odder", lambda p: p.odd @ p.odder),
        ("conv2d_each", "f32[16, 64, 56, 56]", "conv2d(picture, five, pad = 2, groups = 64)",
         lambda p: F.conv2d(p.picture, p.five, padding=2, groups=64)),
        ("conv2d_dilated", "f32[16, 64, 56, 56]", "conv2d(picture, three, pad = 2, dilation = 2)",
         lambda p: F.conv2d(p.picture, p.three, padding=2, dilation=2)),
        ("attention", "f32[8, 8, 256, 64]", "nn.attention(q, k, l)", lambda p: F.scaled_dot_product_attention(p.q, p.k, p.l, is_causal=True)),
        ("attention.bf16", "bf16[8, 8, 256, 64]", "nn.attention(qh, kh, lh)",
         lambda p: F.scaled_dot_product_attention(p.qh, p.kh, p.lh, is_causal=True)),
        ("conv2d.bf16", "bf16[16, 64, 56, 56]", "conv2d(xi, wi, pad = 1)", lambda p: F.conv2d(p.xi, p.wi, padding=1)),
        ("conv2d_strided.bf16", "bf16[16, 64, 28, 28]", "conv2d(xi, wi, stride = 2, pad = 1)",
         lambda p: F.conv2d(p.xi, p.wi, stride=2, padding=1)),
        ("rfft_1024", "f32[1024, 513]", "fft.rfft(x)[0]", lambda p: torch.fft.rfft(p.x)),
        ("rfft_1000", "f32[1000, 501]", "fft.rfft(z)[0]", lambda p: torch.fft.rfft(p.z)),
        ("rfft_1009", "f32[1000, 505]", "fft.rfft(prime)[0]", lambda p: torch.fft.rfft(p.prime)),
        ("irfft_1024", "f32[1000, 1024]", "fft.irfft(half, half, n = 1024)", lambda p: torch.fft.irfft(p.wave, 1024)),
        ("fft_128", "f32[4096, 128]", "fft.fft(short, short)[0]", lambda p: torch.fft.fft(p.waves)),
        ("fft_1024.f64", "f64[1024, 1024]", "fft.fft(xd, yd)[0]", lambda p: torch.fft.fft(p.waved)),
        ("conv1d_31", "f32[16, 64, 1024]", "conv1d(line, long, pad = 15)", lambda p: F.conv1d(p.line, p.long, padding=15)),
        ("adaptive_pool", "f32[16, 32, 7, 7]", "windows.adaptive_avg_pool(image, [7, 7])", lambda p: F.adaptive_avg_pool2d(p.image, 7)),
        ("max_pool", "f32[16, 32, 32, 32]", "max_pool2d(image)", lambda p: F.max_pool2d(p.image, 2)),
        ("grid_sample", "f32[16, 32, 64, 64]", "windows.grid_sample(image, grid)", lambda p: F.grid_sample(p.image, p.grid, align_corners=False)),
        ("resize", "f32[16, 32, 128, 128]", "windows.resize(image, [128, 128])",
         lambda p: F.interpolate(p.image, size=(128, 128), mode="bilinear", align_corners=False)),
        ("unfold", "f32[16, 288, 4096]", "windows.unfold(image, 3, pad = 1)", lambda p: F.unfold(p.image, 3, padding=1))]:
    value(name, kind, text, f)
for name, kind, text, f in [
        ("uniform", "f32[1024, 1024]", "uniform(rng(i), [1024, 1024])", lambda p: torch.rand(N, N)),
        ("normal", "f32[1024, 1024]", "normal(rng(i), [1024, 1024])", lambda p: torch.randn(N, N)),
        ("gamma", "f32[1024, 1024]", "gamma(rng(i), [1024, 1024], 2.5)", lambda p: torch._standard_gamma(torch.full((N, N), 2.5))),
        ("poisson_4", "i32[1024, 1024]", "poisson(rng(i), [1024, 1024], 4.0)", lambda p: torch.poisson(torch.full((N, N), 4.0))),
        ("poisson_50", "i32[1024, 1024]", "poisson(rng(i), [1024, 1024], 50.0)", lambda p: torch.poisson(torch.full((N, N), 50.0))),
        ("dropout", "f32[1024, 1024]", "nn.dropout(x, rng(i), p = 0.1)", lambda p: F.dropout(p.x, 0.1))]:
    value(name, kind, text.replace("(i)", "(step)"), f)

for name, params, text, f in [
        ("softmax", "x", "square(softmax(x))", lambda p: p.x.softmax(-1).square()), ("std", "x", "std(x, dim = 1)", lambda p: p.x.std(1)),
        ("cumsum", "x", "square(cumsum(x))", lambda p: p.x.cumsum(1).square()), ("cumprod", "x", "cumprod(x)", lambda p: p.x.cumprod(1)),
        ("squares_up_to", "x", "squares_up_to(x, n = 1024)", lambda p: p.x.square().cumsum(1)),
        ("cummax", "x", "square(cummax(x))", lambda p: p.x.cummax(1)[0].square()), ("prod", "x", "prod(x, dim = 1)", lambda p: p.x.prod(1)), ("sort", "x", "sort(x) * y", lambda p: p.x.sort(-1)[0] * p.y),
        ("max", "x", "max(x, dim = 1)", lambda p: p.x.amax(1)),
        ("take_along", "x", "square(take_along(x, at))", lambda p: p.x.gather(1, p.at.long()).square()),
        ("rows", "x", "square(x[rows])", lambda p: p.x[p.rows.long()].square()), ("pow", "u y", "pow(u, y)", lambda p: torch.pow(p.u, p.y)),
        ("layernorm", "x", "abs(layernorm(x))", lambda p: F.layer_norm(p.x, (N,)).abs()),
        ("matmul", "x y", "square(x @ y)", lambda p: (p.x @ p.y).square()),
        ("attention", "q k l", "square(nn.attention(q, k, l))", lambda p: F.scaled_dot_product_attention(p.q, p.k, p.l, is_causal=True).square()),
        ("cross_entropy", "x", "loss.cross_entropy(x, rows)", lambda p: F.cross_entropy(p.x, p.rows.long())),
        ("ctc", "scores", "loss.ctc(scores, words)",
         lambda p: F.ctc_loss(p.scores.log_softmax(-1).transpose(0, 1), p.words, torch.full((16,), 100), torch.full((16,), 20))),
        ("conv2d", "image filter", "square(conv2d(image, filter, pad = 1))", lambda p: F.conv2d(p.image, p.filter, padding=1).square()),
        ("conv2d_groups", "image grouped", "square(conv2d(image, grouped, pad = 1, groups = 4))",
         lambda p: F.conv2d(p.image, p.grouped, padding=1, groups=4).square()),
        ("conv_transpose2d", "image turned", "square(conv_transpose2d(image, turned, stride = 2, pad = 1))",
         lambda p: F.conv_transpose2d(p.image, p.turned, stride=2, padding=1).square()),
        ("conv1d_31", "line long", "square(conv1d(line, long, pad = 15))", lambda p: F.conv1d(p.line, p.long, padding=15).square()),
        ("grid_sample", "image grid", "square(windows.grid_sample(image, grid))",
         lambda p: F.grid_sample(p.image, p.grid, align_corners=False).square()),
        ("instancenorm", "image", "abs(nn.instancenorm(image))", lambda p: F.instance_norm(p.image).abs()),
        ("embedding", "table", "square(nn.embedding(table, tokens))", lambda p: F.embedding(p.tokens, p.table).square()),
        ("products_16", "m16", "square(m16 @ m16)", lambda p: (p.m16 @ p.m16).square())]:
    GRADIENTS["grad." + name] = (params.split(), text, f)
for m in ("m32", "m128", "m512"):
    for name, text, f in [
            ("solve", "linalg.solve({0}, {0}[.., 0])", lambda a: torch.linalg.solve(a, a[..., :1])), ("inverse", "linalg.inverse({0})", torch.linalg.inv),
            ("logdet", "linalg.logdet({0})[1]", lambda a: torch.linalg.slogdet(a)[1]), ("qr", "linalg.qr({0})[0]", lambda a: torch.linalg.qr(a)[0]),
            ("eigh", "linalg.eigh({0})[1]", lambda a: torch.linalg.eigh(0.5 * (a + a.mT))[1]), ("svd", "linalg.svd({0})[0]", lambda a: torch.linalg.svd(a)[0]),
            ("pinv", "linalg.pinv({0})", torch.linalg.pinv)]:
        GRADIENTS["grad.%s_%s" % (name, m[1:])] = ([m], "square(%s)" % text.format(m), lambda p, m=m, f=f: f(getattr(p, m)).square())


class Tensors:
    """Params and states as PyTorch has them, made when they are asked for."""

    def __getattr__(self, name):
        if name in STATES:
            made = STATES[name][2](self)
        elif name in PAIRS:
            made = torch.complex(*(getattr(self, part) for part in PAIRS[name]))
        else:
            kind, shape, *bounds = PARAMS[name]
            made = torch.randn(shape) * bounds[0] if len(bounds) == 1 else torch.rand(shape) * (bounds[1] - bounds[0]) + bounds[0]
            made = made.to(TYPES[kind])
        setattr(self, name, made)
        return made


def names_in(text, table):
    return [n for n in table if re.search(r"\b%s\b" % n, text)]


def program(kind, text, wrt=()):
    """`result` becomes what the text says in each step; wrt: the derivative of its sum by the first of these params."""
    states = names_in(text, STATES)
    params = names_in(" ".join([text, *(STATES[s][1] for s in states)]), PARAMS)
    lines = [IMPORTS + "config steps: int = 10;", "place all = ranks(0..1);"]
    for p in params:
        element, shape, *bounds = PARAMS[p]
        made = "normal(std = %g)" % bounds[0] if len(bounds) == 1 else "uniform(low = %g, high = %g)" % tuple(bounds)
        lines.append("param %s: %s%s @ all = %s;" % (p, element, shape, made.replace("= 1)", "= 1.0)")))
    lines += ["state %s: %s @ all = zeros();" % (s, STATES[s][0]) for s in states]
    lines.append("state result: %s @ all = zeros();" % kind)
    if wrt:
        lines.append("fn f() { return sum(%s); }" % text)
        step = "let d = grad(f, wrt = [%s])(); result = d.%s;" % (", ".join(wrt), wrt[0])
    else:
        step = "result = %s;" % text
    begun = ["    %s = %s;" % (s, STATES[s][1]) for s in states]
    return "\n".join([*lines, "main {", *begun, "    for step in 0..steps { %s }" % step, "}", ""])


def own(build, name, text, folder):
    source, out = os.path.join(folder, name + ".pml"), os.path.join(folder, name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    made = subprocess.run([os.path.join(build, "pmlc"), *peers.OPTIONS, source, "-o", out], capture_output=True, text=True, check=False)
    if made.returncode:
        sys.exit("functions.py: %s does not compile\n%s" % (name, made.stderr))
    best = min(peers.own(out, 8)["processor"] for _ in range(peers.ROUNDS))
    os.unlink(out)
    return best


def least(step, seconds=2, most=8):
    best, begun = float("inf"), time.time()
    step()
    for _ in range(most):
        used = time.process_time()
        step()
        best = min(best, time.process_time() - used)
        if time.time() - begun > seconds:
            break
    return best * 1e3


def gradient(params, function, tensors):
    def step():
        leaves = [getattr(tensors, p).requires_grad_() for p in params]
        for x in leaves:
            x.grad = None
        function(tensors).sum().backward()
        for x in leaves:
            x.requires_grad_(False)
    return step


def main():
    build, patterns = sys.argv[1], sys.argv[2:]
    os.sched_setaffinity(0, {int(peers.CORE)})
    torch.set_num_threads(1)
    tensors, short = Tensors(), []
    with tempfile.TemporaryDirectory() as folder:
        for name in [*FUNCTIONS, *GRADIENTS]:
            if patterns and not any(re.fullmatch(p, name) for p in patterns):
                continue
            if name in FUNCTIONS:
                kind, text, function = FUNCTIONS[name]
                ours, step = own(build, name, program(kind, text), folder), lambda f=function: f(tensors)
            else:
                params, text, function = GRADIENTS[name]
                kind = "%s%s" % PARAMS[params[0]][:2]
                ours, step = own(build, name, program(kind, text, params), folder), gradient(params, function, tensors)
            theirs = least(step)
            short += [name] if theirs < 1.15 * ours else []
            print("%-20s PML %9.4f ms   PyTorch %9.4f ms (%.2f)" % (name, ours, theirs, theirs / ours), flush=True)
    print("PyTorch %s; below 1.15: %s" % (torch.__version__.split("+")[0], " ".join(short) or "none"))


if __name__ == "__main__":
    main()
