#!/usr/bin/python3
"""What functions make of zeros, infinities, NaN, subnormal and huge numbers, beside PyTorch: values, derivatives and second derivatives.

    PMLC=… special.py [FUNCTION...]

Functions of one element are given a table of numbers, those of two all pairs of it, in f32, f64, bf16 and f16. A program that pmlc makes writes what it
computes into .npy files; PyTorch computes in f64, so that its own overflows show less. A derivative is that of the sum of all values, a second one
that of the sum of all first ones. NaN, infinities and the signs of zeros that are values agree exactly, finite numbers to four or eight digits.
DIFFERENT lists what is meant to differ, each with its reason. Prints each disagreement and the counts."""
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

NAN, INF = float("nan"), float("inf")
PMLC, MPIEXEC = os.environ["PMLC"], os.environ.get("MPIEXEC", "mpiexec")


def rounded_to(dtype, a):
    """As numbers of the type, which those of 16 bits are in f32."""
    if dtype in ("f32", "f64"):
        return a.astype(STORED[dtype])
    return torch.tensor(a.astype(np.float64)).to(KINDS[dtype]).to(torch.float32).numpy()


KINDS = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16}
STORED = {"f32": np.float32, "f64": np.float64, "bf16": np.float32, "f16": np.float32}
DIGITS = {"f32": 5e-5, "f64": 1e-8, "bf16": 2e-2, "f16": 4e-3} # of derivatives, too, which are rounded at each operator


def values(dtype):
    of = torch.finfo(KINDS[dtype])
    smallest = of.tiny * of.eps
    positive = [0.0, smallest, of.tiny, 1e-10, 0.5, 1.0, 1.5, 2.0, 3.0, 30.0, 100.0, 1e10, float(of.max) * 0.6, INF]
    return rounded_to(dtype, np.array([s * v for v in positive for s in (1, -1)] + [NAN], np.float64))


# ---- the functions: PML's expression over x (and y), and PyTorch's ----

ONE = {
    "exp": ("exp(x)", torch.exp), "ln": ("ln(x)", torch.log), "sqrt": ("sqrt(x)", torch.sqrt), "rsqrt": ("rsqrt(x)", torch.rsqrt),
    "tanh": ("tanh(x)", torch.tanh), "log1p": ("log1p(x)", torch.log1p), "expm1": ("expm1(x)", torch.expm1), "erf": ("erf(x)", torch.erf),
    "sin": ("sin(x)", torch.sin), "cos": ("cos(x)", torch.cos), "tan": ("tan(x)", torch.tan), "atan": ("atan(x)", torch.atan),
    "asin": ("asin(x)", torch.asin), "acos": ("acos(x)", torch.acos), "sinh": ("sinh(x)", torch.sinh), "cosh": ("cosh(x)", torch.cosh),
    "asinh": ("asinh(x)", torch.asinh), "acosh": ("acosh(x)", torch.acosh), "atanh": ("atanh(x)", torch.atanh),
    "lgamma": ("lgamma(x)", torch.lgamma), "digamma": ("digamma(x)", torch.digamma), "abs": ("abs(x)", torch.abs),
    "floor": ("floor(x)", torch.floor), "ceil": ("ceil(x)", torch.ceil), "sign": ("sign(x)", torch.sign), "round": ("round(x)", torch.round),
    "log2": ("log2(x)", torch.log2), "log10": ("log10(x)", torch.log10), "square": ("square(x)", torch.square),
    "sigmoid": ("sigmoid(x)", torch.sigmoid), "relu": ("relu(x)", torch.relu), "silu": ("silu(x)", F.silu), "gelu": ("gelu(x)", F.gelu),
    "gelu_tanh": ("gelu_tanh(x)", lambda x: F.gelu(x, approximate="tanh")), "leaky_relu": ("leaky_relu(x)", F.leaky_relu),
    "softplus": ("softplus(x)", lambda x: torch.logaddexp(x, torch.zeros_like(x))), "erfinv": ("erfinv(x)", torch.erfinv),
    "elu": ("nn.elu(x)", F.elu), "selu": ("nn.selu(x)", F.selu), "celu": ("nn.celu(x)", F.celu), "softsign": ("nn.softsign(x)", F.softsign),
    "mish": ("nn.mish(x)", F.mish), "log_sigmoid": ("nn.log_sigmoid(x)", F.logsigmoid), "relu6": ("nn.relu6(x)", F.relu6),
    "hard_tanh": ("nn.hard_tanh(x)", F.hardtanh), "hard_sigmoid": ("nn.hard_sigmoid(x)", F.hardsigmoid),
    "hard_swish": ("nn.hard_swish(x)", F.hardswish), "soft_shrink": ("nn.soft_shrink(x)", F.softshrink),
    "hard_shrink": ("nn.hard_shrink(x)", F.hardshrink), "clamp": ("clamp(x, -1.5, 2.0)", lambda x: torch.clamp(x, -1.5, 2.0)),
    "i0": ("special.i0(x)", torch.special.i0), "i0e": ("special.i0e(x)", torch.special.i0e), "i1": ("special.i1(x)", torch.special.i1),
    "i1e": ("special.i1e(x)", torch.special.i1e), "j0": ("special.j0(x)", torch.special.bessel_j0), "j1": ("special.j1(x)", torch.special.bessel_j1),
    "erfcx": ("special.erfcx(x)", torch.special.erfcx), "trigamma": ("special.polygamma(1, x)", lambda x: torch.special.polygamma(1, x)),
    "gammainc": ("special.gammainc(2.5, x)", lambda x: torch.special.gammainc(torch.tensor(2.5).double(), x)),
    "gammaincc": ("special.gammaincc(2.5, x)", lambda x: torch.special.gammaincc(torch.tensor(2.5).double(), x)),
    "zeta": ("special.zeta(2.5, x)", lambda x: torch.special.zeta(2.5, x)),
    "power_0": ("x ** 0.0", lambda x: x ** 0.0), "power_1": ("x ** 1.0", lambda x: x ** 1.0), "power_2": ("x ** 2.0", lambda x: x ** 2.0),
    "power_3": ("x ** 3.0", lambda x: x ** 3.0), "power_half": ("x ** 0.5", lambda x: x ** 0.5), "power_minus": ("x ** -1.0", lambda x: x ** -1.0),
    "power_of_2": ("2.0 ** x", lambda x: 2.0 ** x), "power_of_0": ("0.0 ** x", lambda x: 0.0 ** x), "quotient": ("1.0 / x", lambda x: 1.0 / x),
}
TWO = {
    "add": ("x + y", torch.add), "sub": ("x - y", torch.sub), "mul": ("x * y", torch.mul), "div": ("x / y", torch.div),
    "mod": ("x % y", torch.fmod), "pow": ("x ** y", torch.pow), "atan2": ("atan2(x, y)", torch.atan2),
    "maximum": ("maximum(x, y)", torch.maximum), "minimum": ("minimum(x, y)", torch.minimum),
    "logaddexp": ("logaddexp(x, y)", torch.logaddexp),
    "hypot": ("hypot(x, y)", torch.hypot), "copysign": ("copysign(x, y)", torch.copysign),
    "remainder": ("remainder(x, y)", torch.remainder), "xlogy": ("xlogy(x, y)", torch.xlogy),
}


# ---- what differs, and why: functions, values or derivatives, where (of x and y), reason ----

def whole(x):
    return (x <= 0) & (x == np.floor(x))


DIFFERENT = [
    ("sign", "v", lambda x, y: np.isnan(x), "a NaN is handed on"),
    ("elu selu celu hard_sigmoid hard_swish", "x xx", lambda x, y: np.isnan(x), "so is its derivative"),
    ("elu selu celu", "xx", lambda x, y: x == 0, "the second derivative is that from below, as JAX has it"),
    ("relu relu6 hard_swish log_sigmoid maximum minimum power_half", "v", lambda x, y: x == 0, "signs of zeros"),
    ("log_sigmoid hard_swish", "v", lambda x, y: np.isfinite(x) | np.isinf(x), "signs of zeros"),
    ("hard_sigmoid", "x", lambda x, y: abs(x) < 3, "PyTorch has a sixth in f32"),
    ("rsqrt power_half", "x xx", lambda x, y: x == 0, "the sign of an infinite slope at -0.0"),
    ("power_half", "v x xx", lambda x, y: np.isneginf(x), "C's pow"),
    ("lgamma digamma trigamma", "v x xx", lambda x, y: whole(x), "at poles the derivative is -inf, PyTorch's has the rounding of pi"),
    ("i0 i1 j0 j1", "v", lambda x, y: np.isinf(x), "limits, of which PyTorch makes no numbers"),
    ("i1 i1e j1", "v", lambda x, y: x == 0, "signs of zeros"),
    ("i0 i1 erfcx", "x xx", lambda x, y: abs(x) > 9, "sums of infinities, where values are infinite"),
    ("i1 i1e j1", "xx", lambda x, y: abs(x) < 1e-6, "PyTorch takes a difference for it"),
    ("j0 j1", "v x xx", lambda x, y: abs(x) > 1e8, "PyTorch has no phase of it"),
    ("gammainc gammaincc zeta", "xx", lambda x, y: np.isnan(x), "a NaN is handed on to the first derivative alone"),
    ("acosh", "x xx", lambda x, y: x < 1, "outside of what acosh takes"),
    ("atanh", "x xx", lambda x, y: abs(x) > 1, "outside of what atanh takes"),
    ("erfinv", "x xx", lambda x, y: abs(x) > 1, "outside of what erfinv takes"),
    ("expm1", "x xx", lambda x, y: x < -20, "expm1(x) + 1, which PyTorch takes for the slope, has lost its digits"),
    ("erf gelu_tanh", "x xx", lambda x, y: abs(x) > 1e12, "squares and cubes that overflow, in PyTorch's f32 as well"),
    ("hypot copysign", "x y xx xy yx yy", lambda x, y: np.isnan(x) | np.isnan(y) | np.isinf(x) | np.isinf(y), "a NaN is handed on, beside infinity too"),
    ("mod remainder", "x y xx xy yx yy", lambda x, y: (y == 0) | np.isnan(x) | np.isnan(y) | np.isinf(x) | np.isinf(y) | np.isinf(x / y), "nothing is divided by 0"),
    ("mod remainder", "v", lambda x, y: np.isinf(x / y) & np.isfinite(x), "PyTorch's remainder of a quotient that overflows is a NaN"),
    ("mod remainder", "y", lambda x, y: abs(x / y) > 1e6, "the quotient is rounded before it is cut in PyTorch"),
    ("xlogy", "v", lambda x, y: x == 0, "signs of zeros"),
    ("xlogy", "yx", lambda x, y: (x == 0) & (y <= 0), "where there is no logarithm"),
    ("pow", "x y xx xy yx yy", lambda x, y: (abs(y) > 2**24) | (abs(x) > 1e38), "f32 has no y - 1, or x^(y - 1) overflows before log(x) y is small"),
    ("logaddexp", "x y xx xy yx yy", lambda x, y: np.isinf(x) & (x == y), "two equal infinities have no slope"),
    ("pow", "x y xx xy yx yy", lambda x, y: (y == 0) | (x == 0) | np.isinf(x) | np.isinf(y), "where x ** y has corners"),
]

DIFFERENT_IN = {
    "f32": [], "f64": [],
    "bf16": [("atan2", "xy yx", lambda x, y: abs(x) == abs(y), "a difference of two that are rounded")],
    "f16": [("pow", "xx xy yx yy", lambda x, y: abs(x) ** y > 65504, "x ** y overflows, what it is multiplied by is small")],
}


def is_meant(name, what, x, y, dtype):
    meant = np.zeros(x.shape, bool)
    for functions, whats, where, _ in DIFFERENT + DIFFERENT_IN[dtype]:
        if name in functions.split() and what in whats.split():
            with np.errstate(all="ignore"):
                meant |= where(x, y)
    return meant


# ---- what PML computes ----

def source(functions, dtype, rows):
    """A program that writes v.NAME.npy, and the derivatives named by their arguments: x.NAME.npy, xy.NAME.npy."""
    items, stored = [], "f64" if dtype == "f64" else "f32"
    body = ["let (x, y) = (x as %s, y as %s);" % (dtype, dtype)]

    def keep(call, of, name):
        """Writes what a call of vjp gives: the value, and a derivative by each argument."""
        whats = [of] + [of.replace("v", "") + a for a in "xy"[:arity]]
        names = [f"{w}_{name}_{of}" for w in whats]
        inner = ", ".join(names[1:])
        body.append(f"let ({names[0]}, {inner if arity == 1 else '(' + inner + ')'}) = {call};")
        body.extend(f'data.save_npy({w}_{name}_{of} as {stored}, "{w}.{name}.npy");' for w in whats)

    for name, (text, arity) in functions.items():
        args, ones = ", ".join("xy"[:arity]), f"ones([{rows}], dtype = {dtype})"
        items.append(f"fn f_{name}({args}) {{ return {text}; }}")
        keep(f"vjp(f_{name})({args}, {ones})", "v", name)
        for i, a in enumerate("xy"[:arity]):
            items.append(f"fn f_{name}_{a}({args}) {{ return vjp(f_{name})({args}, {ones})[1]{f'[{i}]' * (arity - 1)}; }}")
            keep(f"vjp(f_{name}_{a})({args}, {ones})", a, name)
    return "\n".join(["import std.data;", "import std.nn;", "import std.special;"] + items + ["main {",
        f'    for (x, y) in data.batches(data.npy("x.npy", "y.npy") as ({stored}[_], {stored}[_]), size = {rows}) {{']
        + ["        " + line for line in body] + ["    }", "}", ""])


def run_pml(functions, dtype, x, y, folder):
    np.save(f"{folder}/x.npy", x)
    np.save(f"{folder}/y.npy", y)
    with open(f"{folder}/special.pml", "w") as f:
        f.write(source(functions, dtype, len(x)))
    subprocess.run([PMLC, "special.pml", "-o", "special"], cwd=folder, check=True)
    subprocess.run([MPIEXEC, "-n", "1", "./special", "--quiet", "--flush-subnormals=never"], cwd=folder, check=True)
    return {(what, name): np.load(f"{folder}/{what}.{name}.npy")
            for name, (_, arity) in functions.items() for what in whats(arity)}


def whats(arity):
    return ["v", "x", "xx"] if arity == 1 else ["v", "x", "y", "xx", "xy", "yx", "yy"]


# ---- what PyTorch computes ----

def run_torch(f, arity, x, y):
    """In f64."""
    args = [torch.tensor(a.astype(np.float64), requires_grad=True) for a in (x, y)[:arity]]
    value = f(*args)
    found = {"v": value.detach().numpy()}

    def gradients(of):
        if not of.requires_grad:
            return [torch.zeros_like(a) for a in args]
        return torch.autograd.grad(of.sum(), args, create_graph=True, allow_unused=True, materialize_grads=True)

    for a, d in zip("xy", gradients(value)):
        found[a] = d.detach().numpy()
        try:
            found.update((a + b, dd.detach().numpy()) for b, dd in zip("xy", gradients(d)))
        except (RuntimeError, NotImplementedError):
            pass # PyTorch has no second derivative of it
    return found


# ---- compared ----

def agree(ours, theirs, what, operands, dtype):
    """By element. Where PyTorch makes a NaN of numbers, or numbers are subnormal, nothing is compared but that a value is a NaN in both."""
    of, digits = torch.finfo(KINDS[dtype]), DIGITS[dtype]
    near = of.tiny if what == "v" else 4 * of.eps
    with np.errstate(all="ignore"):
        rounded = rounded_to(dtype, theirs)
        same = (np.isnan(ours) & np.isnan(theirs)) | (ours == rounded) | (abs(ours - theirs) <= digits * abs(theirs) + near)
        if what == "v":
            return same & ((np.signbit(ours) == np.signbit(theirs)) | (ours != 0) | np.isnan(ours) | (rounded != 0))
        strange = np.zeros(ours.shape, bool)
        nan = np.zeros(ours.shape, bool)
        for a in operands:
            strange |= (abs(a) < of.tiny / of.eps) & (a != 0)
            nan |= np.isnan(a)
        return same | strange | (np.isnan(theirs) & ~nan)


def compare(functions, arity, dtype, show):
    """Counts of results that agree and that do not."""
    table = values(dtype)
    pairs = list(zip(*itertools.product(table, table))) if arity == 2 else (table, table)
    x, y = (np.array(a, table.dtype) for a in pairs)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        found = run_pml({name: (text, arity) for name, (text, _) in functions.items()}, dtype, x, y, folder)
    for name, (_, f) in functions.items():
        theirs = run_torch(f, arity, x, y)
        for what in whats(arity):
            if what not in theirs:
                continue
            ours = found[what, name]
            bad = np.nonzero(~agree(ours, theirs[what], what, (x, y)[:arity], dtype) & ~is_meant(name, what, x, y, dtype))[0]
            passed, failed = passed + (len(bad) == 0), failed + (len(bad) > 0)
            for i in bad[:show]:
                at = f"x = {x[i]!r}, y = {y[i]!r}" if arity == 2 else f"x = {x[i]!r}"
                print(f"FAILED {dtype} {name} {what} at {at}: {ours[i]!r}, PyTorch {theirs[what][i]!r} ({len(bad)} of {len(x)})")
    return passed, failed


if __name__ == "__main__":
    only = sys.argv[1:]
    total = np.zeros(2, int)
    for dtype, (arity, functions) in itertools.product(KINDS, ((1, ONE), (2, TWO))):
        total += compare({k: v for k, v in functions.items() if not only or k in only}, arity, dtype, 40 if only else 3)
    print(f"{total[0]} passed, {total[1]} failed")
    sys.exit(int(total[1] > 0))
