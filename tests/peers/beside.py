"""Programs beside functions of JAX: values, derivatives backward and forward, and second derivatives, on 1 to 4 ranks, with loops kept and
unrolled.

A case is a function in PML, `fn f(x, w)`, its arguments, and what computes the same in Python: with lax where lax can be differentiated so,
else with the loops of Python. A program that pmlc makes writes what it computes into .npy files."""
import collections
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import numpy as np

PMLC, MPIEXEC = os.environ.get("PMLC", "pmlc"), os.environ.get("MPIEXEC", "mpiexec")
CASES = []
EVERYWHERE = [(1, False), (2, False), (3, False), (4, False), (2, True)]


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
    def __init__(self, name, pml, args, peer, split=None, order=2, by=None, digits=1e-9, on=None):
        """split: layouts of arguments on several ranks; order: of derivatives; by: arguments they are by, else all of floats; on: numbers of
        ranks, and whether loops are unrolled."""
        self.name, self.pml, self.peer, self.order, self.digits = name, pml, peer, order, digits
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


def source(c, ranks, ct, tangents):
    names, by = list(c.args), c.by
    layout = {k: c.split.get(k, "B") if ranks > 1 else "B" for k in names}
    params, wrt = ", ".join(names), "(" + ", ".join(f'"{k}"' for k in by) + ("," if len(by) == 1 else "") + ")"
    wrt = f'"{by[0]}"' if len(by) == 1 else wrt
    forward = ", ".join(names + [f"t_{k}" for k in by])
    lines = [f"import std.{m};" for m in ("data", "nn", "linalg", "loss", "crf", "ode")] + [f"place p = ranks(0..{ranks});", MADE]
    lines += [declared(k, a, layout[k], c.made.get(k)) for k, a in c.args.items()]
    lines += [declared(f"t_{k}", t.array, layout[k], t.text) for k, t in tangents.items()] + [declared("ct", ct.array, "B", ct.text), c.pml]
    if c.order > 0:
        lines += [f"fn s({params}) {{ return finish(sum((f({params}) to B) * ct)); }}", f"fn gs({params}) {{ return grad(s, wrt = {wrt})({params}); }}"]
    lines += ["main {",
              f'    data.save_npy(f({params}) to @p : B, "y.npy");']
    many = len(by) > 1
    if c.order > 0:
        lines.append(f"    let g = gs({params});")
        lines += [f'    data.save_npy(g{f"[{i}]" * many} to @p : B, "g.{k}.npy");' for i, k in enumerate(by)]
        lines.append(f'    data.save_npy(jvp(f, wrt = {wrt})({forward})[1] to @p : B, "t.npy");')
    if c.order > 1:
        lines.append(f"    let h = jvp(gs, wrt = {wrt})({forward})[1];")
        lines += [f'    data.save_npy(h{f"[{i}]" * many} to @p : B, "h.{k}.npy");' for i, k in enumerate(by)]
    return "\n".join(lines + ["}", ""])


def files(c):
    return [f"{w}.{k}" if w in "gh" else w for w in c.what() for k in (c.by if w in "gh" else [""])]


def run_pml(c, ranks, options, ct, tangents):
    """Arrays by name, or what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/case.pml", "w") as f:
            f.write(source(c, ranks, ct, tangents))
        run = subprocess.run([PMLC, "-O0", *options, "case.pml", "-o", "case"], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            return f"pmlc ends with {run.returncode}: {run.stderr[:1500]}"
        try:
            run = subprocess.run([MPIEXEC, "-n", str(ranks), "./case", "--quiet"], cwd=folder, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return "hangs"
        if run.returncode:
            return f"ends with {run.returncode}: {run.stderr[:1500]}"
        return {w: np.load(f"{folder}/{w}.npy") for w in files(c)}


# ---- what the peer computes ----

def run_peer(c):
    import jax
    import jax.numpy as jnp
    args = {k: jnp.asarray(a.astype(np.float64) if a.dtype.kind == "f" else a) for k, a in c.args.items()}
    fixed = {k: a for k, a in args.items() if k not in c.by}
    tangents = {k: Made(*c.args[k].shape, step=6101, dtype=c.args[k].dtype) for k in c.by}
    f = lambda *by: c.peer(**fixed, **dict(zip(c.by, by)))
    primal = [args[k] for k in c.by]
    y = np.asarray(f(*primal))
    ct = Made(*y.shape, step=5003, dtype=c.args[c.by[0]].dtype if c.by else "f8")
    found = {"y": y}
    if c.order > 0:
        s = lambda *by: jnp.sum(f(*by) * ct.array)
        gs = jax.grad(s, argnums=tuple(range(len(c.by))))
        directions = [jnp.asarray(tangents[k].array, jnp.float64) for k in c.by]
        found.update((f"g.{k}", np.asarray(g)) for k, g in zip(c.by, gs(*primal)))
        found["t"] = np.asarray(jax.jvp(f, tuple(primal), tuple(directions))[1])
        if c.order > 1:
            found.update((f"h.{k}", np.asarray(h)) for k, h in zip(c.by, jax.jvp(gs, tuple(primal), tuple(directions))[1]))
    return found, ct, tangents


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


def check(c, ranks, unrolled):
    theirs, ct, tangents = c.found
    ours = run_pml(c, ranks, ["--loops=unrolled"] if unrolled else [], ct, tangents)
    where = f"{c.name} on {ranks} rank{'s' * (ranks > 1)}{', unrolled' * unrolled}"
    if isinstance(ours, str):
        return [f"{where}: {ours}"]
    told = ((w, differs(ours[w], theirs[w], c.digits)) for w in files(c))
    return [f"{where}: {w} {d}" for w, d in told if d]


def begun(c, pool):
    """Its programs, which run while the next case is computed."""
    try:
        c.found = run_peer(c)
    except Exception as e:  # the case is wrong, not what is held against it
        told = concurrent.futures.Future()
        told.set_result([f"{c.name}: the peer: {type(e).__name__}: {str(e)[:300]}"])
        return [told]
    return [pool.submit(check, c, ranks, unrolled) for ranks, unrolled in c.on]


def main(only):
    import jax
    jax.config.update("jax_enable_x64", True)
    part, parts = map(int, os.environ.get("TEST_PART", "1/1").split("/"))
    chosen = [c for c in CASES[part - 1::parts] if not only or any(o in c.name for o in only)]
    passed = failed = 0
    open_jobs = collections.deque()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for c in chosen + [None]:
            open_jobs.extend(begun(c, pool) if c else [])
            while open_jobs and (not c or len(open_jobs) > 12):
                told = open_jobs.popleft().result()
                passed, failed = passed + (not told), failed + bool(told)
                for line in told:
                    print("FAILED " + line, flush=True)
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)
