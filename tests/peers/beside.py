"""Programs beside functions of JAX: values, derivatives backward and forward, and second derivatives, on 1 to 4 ranks, with loops kept and
unrolled.

A case is a function in PML, `fn f(x, w)`, its arguments, and what computes the same in Python: with lax where lax can be differentiated so,
else with the loops of Python. Each becomes a module, and one program of many modules writes what they compute into .npy files: most of the time of
a small program is its start and what is compiled around it. Where such a program fails, its halves are tried, down to the case that fails."""
import collections
import concurrent.futures
import functools
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

PMLC, MPIEXEC = os.environ.get("PMLC", "pmlc"), os.environ.get("MPIEXEC", "mpiexec")
CASES = []
EVERYWHERE = [(1, False), (2, False), (3, False), (4, False), (2, True)]
TOGETHER = 24  # cases of a program: with twice as many its compilation takes more than it saves


def drawn(*shape, seed=0, scale=0.7):
    return np.random.default_rng(sum(shape) * 1009 + len(shape) + 7919 * seed).standard_normal(shape) * scale


class Made:
    """An argument that the program computes for itself, as it is too large to be written: numbers from -1 to 1, all different."""

    def __init__(self, *shape, step=7919, dtype="f8"):
        self.text = f"made([{', '.join(map(str, shape))}], {step})"
        k = (np.arange(int(np.prod(shape)), dtype=np.int64) + step) % 99989
        self.array = (k * k % 99989 * k % 99989 / 50000.0 - 1.0).reshape(shape).astype(dtype)


# Cubes modulo 99989 are all different, since that is no 1 modulo 3; lines by them are far from dependent.
MADE = ("fn made(sizes: shape, step: int) { let k = (iota(volume(sizes)) + step) % 99989; "
        "return reshape((k * k % 99989 * k % 99989) as f64 / 50000.0 - 1.0, sizes); }")


class Case:
    def __init__(self, name, pml, args, peer, split=None, order=2, by=None, digits=1e-9, on=None, jit=None):
        """split: layouts of arguments on several ranks; order: of derivatives; by: arguments they are by, else all of floats; on: numbers of
        ranks, and whether loops are unrolled; jit: the order to which JAX compiles the peer, of shapes that few others have, else it runs it
        operation by operation."""
        self.name, self.pml, self.peer, self.order, self.digits, self.jit = name, pml, peer, order, digits, jit
        self.made = {k: a.text for k, a in args.items() if isinstance(a, Made)}
        self.args = {k: a.array if isinstance(a, Made) else np.asarray(a) for k, a in args.items()}
        self.split, self.on = split or {}, on or EVERYWHERE
        self.by = by or [k for k, a in self.args.items() if a.dtype.kind == "f"]
        CASES.append(self)

    def what(self):
        return ["y"] + (["g", "t"] if self.order > 0 else []) + (["h"] if self.order > 1 else [])


def case(*args, **named):
    Case(*args, **named)


# ---- what PML computes ----

TYPES = {"f8": "f64", "f4": "f32", "i4": "i32", "i8": "i64", "b1": "bool", "u1": "u8"}


def literal(a):
    if a.ndim:
        return "[" + ", ".join(literal(x) for x in a) + "]"
    return ("true" if a else "false") if a.dtype.kind == "b" else repr(a.item())


def declared(name, a, layout, made=None):
    t = TYPES[a.dtype.str[1:]]
    shape = ", ".join(map(str, a.shape))
    return f"state {name} : {t}[{shape}] @ p : {layout} = {made or literal(a)}{f' as {t}' if a.ndim or made else ''};"


def module(c, ranks, ct, tangents):
    """The case: its arguments, and functions of them for what is compared."""
    names, by = list(c.args), c.by
    layout = {k: c.split.get(k, "B") if ranks > 1 else "B" for k in names}
    wrt = f'"{by[0]}"' if len(by) == 1 else "(" + ", ".join(f'"{k}"' for k in by) + ")"
    params, forward = ", ".join(names), ", ".join(names + [f"t_{k}" for k in by])
    lines = [f"import std.{m};" for m in ("nn", "linalg", "loss", "crf", "ode", "windows")] + [f"place p = ranks(0..{ranks});", MADE]
    lines += [declared(k, a, layout[k], c.made.get(k)) for k, a in c.args.items()]
    lines += [declared(f"t_{k}", t.array, layout[k], t.text) for k, t in tangents.items()] + [declared("ct", ct.array, "B", ct.text), c.pml]
    if c.order > 0:
        lines += [f"fn s({params}) {{ return finish(sum((f({params}) to B) * ct)); }}", f"fn gs({params}) {{ return grad(s, wrt = {wrt})({params}); }}",
                  f"fn ts({forward}) {{ return jvp(f, wrt = {wrt})({forward})[1]; }}"]
    if c.order > 1:
        lines.append(f"fn hs({forward}) {{ return jvp(gs, wrt = {wrt})({forward})[1]; }}")
    return "\n".join(lines + [""])


def saved(c, m):
    """Lines of main that write what module m computes."""
    params = ", ".join(f"{m}.{k}" for k in c.args)
    forward = ", ".join([params] + [f"{m}.t_{k}" for k in c.by])
    calls = {"y": f"f({params})", "g": f"gs({params})", "t": f"ts({forward})", "h": f"hs({forward})"}
    for w in c.what():
        yield f"    let {w}_{m} = {m}.{calls[w]};"
        by = c.by if w in "gh" else []
        yield from (f'    data.save_npy({w}_{m}{f"[{i}]" * (len(by) > 1)} to @p : B, "{m}.{w}.{k}.npy");' for i, k in enumerate(by))
        if not by:
            yield f'    data.save_npy({w}_{m} to @p : B, "{m}.{w}.npy");'


def files(c):
    return [f"{w}.{k}" if w in "gh" else w for w in c.what() for k in (c.by if w in "gh" else [""])]


def run_pml(cases, ranks, unrolled):
    """For each case arrays by name, from one program; or what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        for i, c in enumerate(cases):
            with open(f"{folder}/m{i}.pml", "w") as f:
                f.write(module(c, ranks, *c.found[1:]))
        with open(f"{folder}/all.pml", "w") as f:
            f.write("\n".join(["import std.data;", *(f"import m{i};" for i in range(len(cases))), f"place p = ranks(0..{ranks});", "main {",
                               *(line for i, c in enumerate(cases) for line in saved(c, f"m{i}")), "}", ""]))
        for name, command in (("pmlc", [PMLC, "-O0", *["--loops=unrolled"] * unrolled, "all.pml", "-o", "all"]),
                              ("the program", [MPIEXEC, "-n", str(ranks), "./all", "--quiet"])):
            try:
                run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
            except subprocess.TimeoutExpired:
                return f"{name} hangs"
            if run.returncode:
                return f"{name} ends with {run.returncode}: {run.stderr[:1500]}"
        return [{w: np.load(f"{folder}/m{i}.{w}.npy") for w in files(c)} for i, c in enumerate(cases)]


# ---- what the peer computes ----

@functools.cache
def computed(peer, by, order, jit):
    """The function of c.args, and all that is compared: of the arguments that stay, those that derivatives are by, tangents, the cotangent."""
    import jax
    import jax.numpy as jnp

    def f(fixed, *primal):
        return peer(**fixed, **dict(zip(by, primal)))

    def whole(fixed, primal, directions, ct):
        found, of = {"y": f(fixed, *primal)}, functools.partial(f, fixed)
        if order > 0:
            gs = jax.grad(lambda *args: jnp.sum(of(*args) * ct), argnums=tuple(range(len(by))))
            found.update((f"g.{k}", g) for k, g in zip(by, gs(*primal)))
            found["t"] = jax.jvp(of, primal, directions)[1]
        if order > 1:
            found.update((f"h.{k}", h) for k, h in zip(by, jax.jvp(gs, primal, directions)[1]))
        return found
    return f, jax.jit(whole) if jit else whole


def run_peer(c):
    """What JAX computes, by name, and the cotangent and the tangents it was computed with."""
    import jax
    import jax.numpy as jnp
    args = {k: jnp.asarray(a.astype(np.float64) if a.dtype.kind == "f" else a) for k, a in c.args.items()}
    fixed, primal = {k: a for k, a in args.items() if k not in c.by}, tuple(args[k] for k in c.by)
    tangents = {k: Made(*c.args[k].shape, step=6101, dtype=c.args[k].dtype) for k in c.by}
    f, whole = computed(c.peer, tuple(c.by), c.order if c.jit is None else c.jit, c.jit is not None)
    y = f(fixed, *primal) if c.jit is None else jax.eval_shape(f, fixed, *primal)
    ct = Made(*y.shape, step=5003, dtype=c.args[c.by[0]].dtype if c.by else "f8")
    found = whole(fixed, primal, tuple(jnp.asarray(tangents[k].array, jnp.float64) for k in c.by), jnp.asarray(ct.array, jnp.float64))
    return {k: np.asarray(a) for k, a in found.items()}, ct, tangents


# ---- compared ----

def differs(ours, theirs, digits):
    if ours.shape != theirs.shape:
        return f"has shape {ours.shape}, not {theirs.shape}"
    near = abs(ours - theirs) <= digits * max(1, np.max(abs(theirs), initial=0, where=np.isfinite(theirs)))
    bad = ~(near | (ours == theirs) | (np.isnan(ours) & np.isnan(theirs)))
    if not bad.any():
        return None
    at = tuple(np.argwhere(bad)[0])
    return f"is {ours[at]!r} at {list(map(int, at))}, not {theirs[at]!r} ({bad.sum()} of {bad.size})"


def check(cases, ranks, unrolled):
    """Per case what is wrong."""
    ours = run_pml(cases, ranks, unrolled)
    where = f"on {ranks} rank{'s' * (ranks > 1)}{', unrolled' * unrolled}"
    if isinstance(ours, str) and len(cases) == 1:
        return [[f"{cases[0].name} {where}: {ours}"]]
    if isinstance(ours, str):
        half = len(cases) // 2
        told = check(cases[:half], ranks, unrolled) + check(cases[half:], ranks, unrolled)
        if not any(told):
            told[0] = [f"{cases[0].name} {where}, in one program with {', '.join(c.name for c in cases[1:])}: {ours}"]
        return told
    told = []
    for c, found in zip(cases, ours):
        wrong = ((w, differs(found[w], c.found[0][w], c.digits)) for w in files(c))
        told.append([f"{c.name} {where}: {w} {d}" for w, d in wrong if d])
        if told[-1] and len(cases) > 1:
            told[-1] = check([c], ranks, unrolled)[0] or [f"{told[-1][0]}, in one program with {', '.join(o.name for o in cases if o is not c)}"]
    return told


def begun(chosen, pool):
    """The programs, which run while the next cases are computed."""
    waiting = collections.defaultdict(list)
    for c in chosen:
        try:
            c.found = run_peer(c)
        except Exception as e:  # the case is wrong, not what is held against it
            told = concurrent.futures.Future()
            told.set_result([[f"{c.name}: the peer: {type(e).__name__}: {str(e)[:300]}"]])
            yield told
            continue
        for variant in c.on:
            waiting[variant].append(c)
            if len(waiting[variant]) == TOGETHER:
                yield pool.submit(check, waiting.pop(variant), *variant)
    for variant, cases in waiting.items():
        yield pool.submit(check, cases, *variant)


def main(only):
    import jax
    jax.config.update("jax_enable_x64", True)
    part, parts = map(int, os.environ.get("TEST_PART", "1/1").split("/"))
    # Neighbours are alike, and JAX compiles for them once.
    chosen = [c for c in CASES[len(CASES) * (part - 1) // parts:len(CASES) * part // parts] if not only or any(o in c.name for o in only)]
    passed = failed = 0
    open_jobs = collections.deque()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for job in itertools.chain(begun(chosen, pool), [None]):
            open_jobs.extend([job] * (job is not None))
            while open_jobs and (not job or len(open_jobs) > 4):
                told = open_jobs.popleft().result()
                passed, failed = passed + sum(not t for t in told), failed + sum(bool(t) for t in told)
                for line in itertools.chain(*told):
                    print("FAILED " + line, flush=True)
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)
