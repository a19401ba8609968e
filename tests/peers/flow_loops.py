"""Every form of loop with every kind of body: what JAX's tests of scan, while_loop and fori_loop and PyTorch's of scan and while_loop take one by
one, all with all. The turns of x are its first dimension, the rows that ranks share its second."""
import jax
import jax.numpy as jnp

from beside import case, drawn

N = 5

# name: loop in PML around BODY, and the turns that are made, given what is carried before each
FORMS = {
    "known": ("for i in 0..5 { BODY }", lambda s: range(N)),
    "counted": ("for i in 0..runs { BODY }", lambda s: range(N)),
    "of a count": ("var i = 0; while i < runs { BODY i += 1; }", lambda s: range(N)),
    "until": ("for i in 0..5 { if finish(sum(square(c))) > 12.0 { break; } BODY }", lambda s: until(s, 12.0)),
    "broken": ("for i in 0..9 { if i == runs { break; } BODY }", lambda s: range(N)),
    "as long as": ("var i = 0; while i < runs && finish(sum(square(c))) < 9.0 { BODY i = i + 1; }", lambda s: until(s, 9.0, at=True)),
    "in segments": ("remat every 2 for i in 0..5 { BODY }", lambda s: range(N)),
    "counted, in segments": ("remat every 3 for i in 0..runs { BODY }", lambda s: range(N)),
    "none": ("for i in 0..runs - 5 { BODY }", lambda s: range(0)),
    "twice": ("for k in 0..2 { for i in 0..5 { BODY } }", lambda s: [*range(N), *range(N)]),
    "counted twice": ("for k in 0..runs - 3 { for i in 0..runs { BODY } }", lambda s: [*range(N), *range(N)]),
    "of a triangle": ("for k in 0..3 { for i in 0..k { BODY } }", lambda s: [0, 0, 1]),
    "taken": ("if finish(sum(x)) > -99.0 { for i in 0..5 { BODY } }", lambda s: range(N)),
    "skipping": ("for i in 0..5 { if i == 2 { continue; } BODY }", lambda s: [0, 1, 3, 4]),
    "every other": ("for h in 0..2 { let i = 2 * h + 1; BODY }", lambda s: [1, 3]),
}


def until(s, most, at=False):
    for i in range(N):
        total = (s["c"] ** 2).sum()
        if total >= most if at else total > most:
            return
        yield i


def a(**now):
    """What a body leaves changed."""
    return now


def branch(i, s, x, w):
    return a(c=s["c"] @ w + x[i]) if s["c"].sum() > 0 else a(c=s["c"] * x[i])


def inner(i, s, x, w):
    c = s["c"]
    for k in range(3):
        c = jnp.tanh(c @ w + x[k] * (i + 1.0))
    return a(c=c)


def inner_while(i, s, x, w):
    c, r = s["c"], 1.0
    while r < 3.0:
        c, r = jnp.tanh(c + r * x[i]), r + 0.75
    return a(c=c)


def inner_while_of_value(i, s, x, w):
    c = s["c"] + x[i]
    while (c ** 2).sum() > 5.0:
        c = c * 0.6
    return a(c=c)


def descent(i, s, x, w):
    return a(c=s["c"] - 0.3 * jax.grad(lambda c: (jnp.tanh(c @ w) * x[i]).sum())(s["c"]))


def number(i, s, x, w):
    t = s["t"] * 0.9 + (s["c"] * x[i]).sum()
    return a(t=t, c=s["c"] + 0.1 * t)


# name: what stands before the loop, the body, what is returned; the same in Python: what is carried at first, the body, the result
BODIES = {
    "linear": ("", "c = 0.5 * c + x[i];", "c", {}, lambda i, s, x, w: a(c=0.5 * s["c"] + x[i]), None),
    "recurrent": ("", "c = tanh(x[i] @ w + c);", "c", {}, lambda i, s, x, w: a(c=jnp.tanh(x[i] @ w + s["c"])), None),
    "gated": ("", "let g = sigmoid(c @ w); c = g * c + (1.0 - g) * x[i];", "c", {},
              lambda i, s, x, w: (lambda g: a(c=g * s["c"] + (1 - g) * x[i]))(jax.nn.sigmoid(s["c"] @ w)), None),
    "stacked": ("var y = 0.0 * x;", "c = tanh(c + x[i]); y[i] = c * x[i];", "y + 0.5 * c", {"y": lambda x, c: 0.0 * x},
                lambda i, s, x, w: (lambda c: a(c=c, y=s["y"].at[i].set(c * x[i])))(jnp.tanh(s["c"] + x[i])), lambda s: s["y"] + 0.5 * s["c"]),
    "added to": ("var y = x * x;", "y[i] += c @ w; c = c * x[i];", "y", {"y": lambda x, c: x * x},
                 lambda i, s, x, w: a(y=s["y"].at[i].add(s["c"] @ w), c=s["c"] * x[i]), lambda s: s["y"]),
    "a branch": ("", "if finish(sum(c)) > 0.0 { c = c @ w + x[i]; } else { c = c * x[i]; }", "c", {}, branch, None),
    "an arm": ("", "if i > 1 && finish(sum(c)) > -50.0 { c = tanh(c) @ w; }", "c", {},
               lambda i, s, x, w: a(c=jnp.tanh(s["c"]) @ w) if i > 1 and s["c"].sum() > -50 else {}, None),
    "backwards": ("", "c = tanh(c + x[4 - i] @ w);", "c", {}, lambda i, s, x, w: a(c=jnp.tanh(s["c"] + x[4 - i] @ w)), None),
    "ahead": ("", "c = c * 0.7 + sin(x[(i + 2) % 5]);", "c", {}, lambda i, s, x, w: a(c=s["c"] * 0.7 + jnp.sin(x[(i + 2) % 5])), None),
    "a column": ("", "c[.., i % 3] = tanh(c[.., 1] + x[i, .., 0]);", "c", {},
                 lambda i, s, x, w: a(c=s["c"].at[..., i % 3].set(jnp.tanh(s["c"][..., 1] + x[i, ..., 0]))), None),
    "two": ("var d = c * c;", "(c, d) = (0.5 * d + x[i], tanh(c @ w));", "c + 2.0 * d", {"d": lambda x, c: c * c},
            lambda i, s, x, w: a(c=0.5 * s["d"] + x[i], d=jnp.tanh(s["c"] @ w)), lambda s: s["c"] + 2.0 * s["d"]),
    "a struct": ("var s = Pair(one = c, other = c * c);", "s = Pair(one = tanh(s.one + x[i]), other = s.other * 0.5 + s.one @ w); c = s.one;", "s.one * s.other",
                 {"o": lambda x, c: c * c}, lambda i, s, x, w: a(c=jnp.tanh(s["c"] + x[i]), o=s["o"] * 0.5 + s["c"] @ w), lambda s: s["c"] * s["o"]),
    "a field": ("var s = Pair(one = c, other = c * c);", "s.other = s.other * 0.5 + s.one @ w; s.one += x[i]; c = s.one;", "s.one * s.other",
                {"o": lambda x, c: c * c}, lambda i, s, x, w: a(o=s["o"] * 0.5 + s["c"] @ w, c=s["c"] + x[i]), lambda s: s["c"] * s["o"]),
    "a list": ("var l = [c, 0.1 * c];", "l = [tanh(l[1] + x[i]), l[0] @ w]; c = l[0];", "l[0] + 3.0 * l[1]", {"o": lambda x, c: 0.1 * c},
               lambda i, s, x, w: a(c=jnp.tanh(s["o"] + x[i]), o=s["c"] @ w), lambda s: s["c"] + 3.0 * s["o"]),
    "the greatest": ("", "c = maximum(c, x[i]) * 1.25;", "c", {}, lambda i, s, x, w: a(c=jnp.maximum(s["c"], x[i]) * 1.25), None),
    "the turn": ("", "c = c + x[i] * (i as f64 + 0.5);", "c", {}, lambda i, s, x, w: a(c=s["c"] + x[i] * (i + 0.5)), None),
    "a number": ("var t = finish(sum(c)) * 0.1;", "t = t * 0.9 + finish(sum(c * x[i])); c = c + 0.1 * t;", "c * t",
                 {"t": lambda x, c: 0.1 * c.sum()}, number, lambda s: s["c"] * s["t"]),
    "a count": ("var n = 0;", "if finish(max(c)) > 0.2 { n = n + 1; } c = tanh(c + x[i]);", "c * (n as f64)", {"n": lambda x, c: 0},
                lambda i, s, x, w: a(n=s["n"] + int(s["c"].max() > 0.2), c=jnp.tanh(s["c"] + x[i])), lambda s: s["c"] * s["n"]),
    "a window": ("", "c = c * 0.5 + sum(x[i..i + 1], dim = 0) @ w;", "c", {}, lambda i, s, x, w: a(c=s["c"] * 0.5 + x[i] @ w), None),
    "a loop": ("", "for k in 0..3 { c = tanh(c @ w + x[k] * (i as f64 + 1.0)); }", "c", {}, inner, None),
    "a while": ("", "var r = 1.0; while r < 3.0 { c = tanh(c + r * x[i]); r = r + 0.75; }", "c", {}, inner_while, None),
    "a while of the value": ("", "c = c + x[i]; while finish(sum(square(c))) > 5.0 { c = c * 0.6; }", "c", {}, inner_while_of_value, None),
    "a step down": ("", "c = c - 0.3 * grad(slope, wrt = 0)(c, w, x[i]);", "c", {}, descent, None),
    "all lines": ("", "c = tanh(c + vmap(pulled, over = 0)(x[i], w));", "c", {}, lambda i, s, x, w: a(c=jnp.tanh(s["c"] + jnp.sin(x[i] @ w))), None),
    "a block": ("", "c = remat { let h = tanh(c @ w); h * x[i] + c };", "c", {}, lambda i, s, x, w: a(c=jnp.tanh(s["c"] @ w) * x[i] + s["c"]), None),
    "a weight": ("var v = w;", "v = v + 0.01 * (v @ v); c = c @ v + x[i];", "c @ v", {"v": None},
                 lambda i, s, x, w: (lambda v: a(v=v, c=s["c"] @ v + x[i]))(s["v"] + 0.01 * (s["v"] @ s["v"])), lambda s: s["c"] @ s["v"]),
}
ITEMS = """config runs : int = 5;
struct Pair { one : f64[ROWS3], other : f64[ROWS3] }
fn slope(c, w, x) { return finish(sum(tanh(c @ w) * x)); }
fn pulled(x, w) { return sin(x @ w); }
"""


def peer(form, starts, body, result):
    turns = FORMS[form][1]

    def f(x, c, w):
        s = {"c": c, **{k: w if first is None else first(x, c) for k, first in starts.items()}}
        for i in turns(s):
            s.update(body(i, s, x, w))
        return s["c"] if result is None else result(s)
    return f


def text_of(form, name, rows):
    """Of c[rows 3] and x[5, rows 3]."""
    before, body, gives = BODIES[name][:3]
    return ITEMS.replace("ROWS", rows) + f"fn f(x, from, w) {{ var c = from; {before} {FORMS[form][0].replace('BODY', body)} return {gives}; }}"


def peer_of(form, name):
    starts, python, result = BODIES[name][3:]
    return peer(form, starts, python, result)


for form in FORMS:
    for name in BODIES:
        f = peer_of(form, name)
        case(f"loop {form}: {name}", text_of(form, name, "4, "), {"x": drawn(N, 4, 3), "from": drawn(4, 3, seed=1), "w": drawn(3, 3, seed=2)},
             lambda f=f, **args: f(args["x"], args["from"], args["w"]), split={"x": "S(1)", "from": "S(0)"})
