"""Methods as they are written by hand: dynamic programming, solvers, optimizers, simulations, decoding; loops in loops that only the running
program ends, with what they carry in tensors, structs and lists."""
import jax
import jax.numpy as jnp
import numpy as np

from beside import case, drawn

CONFIGS = "config three : int = 3;\nconfig five : int = 5;\nconfig many : int = 50;\n"
PLACES = [(1, False), (2, False), (3, False), (2, True)]


def method(name, pml, args, peer, **more):
    case(f"method {name}", CONFIGS + pml, args, peer, **{"digits": 1e-8, "on": PLACES} | more)


# ---- viterbi, one and batch ----


def vit(x, w):
    out = []
    for r in range(x.shape[0]):
        s = x[r, 0]
        back = []
        for t in range(1, x.shape[1]):
            m = s[:, None] + w
            back.append(m.argmax(0))
            s = m.max(0) + x[r, t]
        j = s.argmax()
        path = [j]
        for b in reversed(back):
            j = b[j]
            path.append(j)
        out.append(s.max() + 0.01 * sum((p * (i + 1) for i, p in enumerate(path))))
    return jnp.stack(out)


for T in (2, 5):
    for loop in ("1..shape(x)[0]", "1..len"):
        method(f"viterbi {T} {loop}", f"config len : int = {T};" + """
op pairs(s[i], w[i, j]) -> [i, j] = s + w;
fn one(x, w) {
    var s = x[0];
    var back = zeros([shape(x)[0], shape(w)[0]], dtype = i32);
    for t in LOOP {
        let m = pairs(s, w);
        back[t] = argmax(stop_gradient(m), dim = 0) as i32;
        s = max(m, dim = 0) + x[t];
    }
    var j = argmax(stop_gradient(s)) as i32;
    var extra = 0.01 * (j as f64);
    for k in 0..shape(x)[0] - 1 {
        let t = shape(x)[0] - 1 - k;
        j = back[t, j];
        extra = extra + 0.01 * (j as f64) * (k as f64 + 2.0);
    }
    return max(s) + extra;
}
fn f(x, w) { return vmap(one, over = 0)(x, w); }
""".replace("LOOP", loop), {"x": drawn(4, T, 3), "w": drawn(3, 3, seed=1)}, vit, split={"x": "S(0)"})

# ---- edit distance, soft ----


def edit(a, b):
    n, m = (a.shape[0], b.shape[0])
    d = {}
    for i in range(n + 1):
        for j in range(m + 1):
            if i == 0 or j == 0:
                d[i, j] = 0.5 * (i + j)
                continue
            z = jnp.stack([d[i - 1, j] + 0.5, d[i, j - 1] + 0.5, d[i - 1, j - 1] + (a[i - 1] - b[j - 1]) ** 2])
            d[i, j] = -jax.nn.logsumexp(-3 * z) / 3
    return d[n, m]


EDIT = """
fn one(a, b) {
    let n = shape(a)[0];
    let m = shape(b)[0];
    var d = zeros([n + 1, m + 1], dtype = f64);
    for i in 0..n + 1 { d[i, 0] = 0.5 * (i as f64); }
    for j in 0..m + 1 { d[0, j] = 0.5 * (j as f64); }
    for i in 1..n + 1 {
        for j in 1..m + 1 {
            let z = stack([d[i - 1, j] + 0.5, d[i, j - 1] + 0.5, d[i - 1, j - 1] + (a[i - 1] - b[j - 1]) ** 2]);
            d[i, j] = -logsumexp(-3.0 * z, dim = 0) / 3.0;
        }
    }
    return d[n, m];
}
"""
method("edit distance", EDIT + "fn f(a, b) { return one(a, b); }", {"a": drawn(4), "b": drawn(3, seed=1)}, edit, on=[(1, False), (2, True)])
method("edit distance, lines", EDIT + "fn f(a, b) { return vmap(one)(a, b); }",
       {"a": drawn(4, 3), "b": drawn(4, 3, seed=1)}, lambda a, b: jnp.stack([edit(p, q) for p, q in zip(a, b)]), split={"a": "S(0)", "b": "S(0)"})


# by rows of the table, run-time lengths with masks
def edit_len(a, b, la, lb):
    return jnp.stack([edit(a[r][:int(la[r])], b[r][:int(lb[r])]) for r in range(a.shape[0])])


method("edit distance, lengths", """
fn one(a, b, la, lb) {
    let m = shape(b)[0];
    var d = 0.5 * (iota(m + 1) as f64);
    for i in 0..la {
        var e = d + 0.5;
        e[0] = 0.5 * (i as f64 + 1.0);
        for j in 1..m + 1 {
            let z = stack([d[j] + 0.5, e[j - 1] + 0.5, d[j - 1] + square(a[i] - b[j - 1])]);
            e[j] = -logsumexp(-3.0 * z, dim = 0) / 3.0;
        }
        d = e;
    }
    return d[lb];
}
fn f(a, b, la, lb) { return vmap(one)(a, b, la, lb); }
""", {"a": drawn(4, 3), "b": drawn(4, 3, seed=1), "la": np.array([3, 1, 0, 2], np.int64), "lb": np.array([2, 3, 1, 0], np.int64)}, edit_len,
       split={k: "S(0)" for k in ("a", "b", "la", "lb")})

# ---- knapsack ----


def knap(v, cap, wt):
    d = jnp.zeros(cap + 1)
    for i in range(v.shape[0]):
        s = int(wt[i])
        d = jnp.maximum(d, jnp.concatenate([jnp.full(s, -1000000000.0), d[:cap + 1 - s] + v[i]]) if s <= cap else d)
    return d


method("knapsack, by element", """
fn f(v, wt) {
    var d = zeros([8], dtype = f64);
    for i in 0..shape(v)[0] {
        let w = wt[i];
        let old = d;
        for k in 0..8 {
            if k >= w { d[k] = maximum(old[k], old[k - w] + v[i]); }
        }
    }
    return d;
}""", {"v": abs(drawn(5)), "wt": np.array([1, 3, 2, 9, 4], np.int64)}, lambda v, wt: knap(v, 7, wt), order=1)
method("knapsack, downwards in place", """
fn f(v, wt) {
    var d = zeros([8], dtype = f64);
    for i in 0..shape(v)[0] {
        var k = 7;
        while k >= wt[i] {
            let other = d[k - wt[i]] + v[i];
            if other > d[k] { d[k] = other; }
            k -= 1;
        }
    }
    return d;
}""", {"v": abs(drawn(5)), "wt": np.array([1, 3, 2, 9, 4], np.int64)}, lambda v, wt: knap(v, 7, wt), order=1)

# ---- floyd-Warshall ----


def floyd(w):
    d = abs(w) + 0.1
    for k in range(w.shape[0]):
        d = jnp.minimum(d, d[:, k:k + 1] + d[k:k + 1, :])
    return d


method("floyd-warshall", """
fn f(w) { var d = abs(w) + 0.1; for k in 0..shape(w)[0] { d = minimum(d, unsqueeze(d[.., k]) + d[k]); } return d; }""", {"w": drawn(6, 6)}, floyd, order=1)
method("floyd-warshall, rows", """
fn f(w) { var d = abs(w) + 0.1; for k in 0..shape(w)[0] { let line = d[k] to B; d = minimum(d, unsqueeze(d[.., k]) + line); } return d; }""",
       {"w": drawn(6, 6)}, floyd, order=1, split={"w": "S(0)"})

# ---- cG with tolerance ----


def cg(m, b):
    a = m @ m.T + 3 * jnp.eye(m.shape[0])
    x = jnp.zeros_like(b)
    r = b
    p = r
    k = 0
    while r @ r > 1e-20 and k < 50:
        q = a @ p
        al = r @ r / (p @ q)
        x = x + al * p
        n = r - al * q
        p = n + n @ n / (r @ r) * p
        r = n
        k += 1
    return x


CG = """
fn f(m, b) {
    let a = finish(m @ transpose(m)) + 3.0 * eye(shape(b)[0], dtype = f64);
    var x = 0.0 * b;
    var r = b;
    var p = r;
    var k = 0;
    while dot(r, r) > 1e-20 && k < many {
        let q = a @ p;
        let rr = dot(r, r);
        let step = rr / dot(p, q);
        x = x + step * p;
        r = r - step * q;
        p = r + dot(r, r) / rr * p;
        k += 1;
    }
    return x;
}"""
method("conjugate gradients", CG, {"m": drawn(5, 5), "b": drawn(5, seed=1)}, lambda m, b: jnp.linalg.solve(m @ m.T + 3 * jnp.eye(5), b), order=1, digits=1e-6, split={"m": "S(1)"})

# ---- newton with a solve ----


def newton(x, a):
    y = jnp.zeros_like(x)
    for _ in range(12):
        g = lambda y: y ** 3 + y + 0.3 * jnp.tanh(a @ y) - x
        y = y - jnp.linalg.solve(jax.jacobian(g)(y), g(y))
    return y


method("newton, solve", """import std.linalg;
fn g(y, x, a) { return y ** 3 + y + 0.3 * tanh(a @ y) - x; }
fn slopes(y, x, a) { return transpose(vmap(column, over = "e")(y, x, a, eye(shape(y)[0], dtype = f64))); }
fn column(y, x, a, e) { return jvp(g, wrt = 0)(y, x, a, e)[1]; }
fn f(x, a) {
    var y = 0.0 * x;
    var k = 0;
    while k < 12 {
        let r = g(y, x, a);
        if max(abs(r)) < 1e-14 { break; }
        y = y - linalg.solve(slopes(y, x, a), r);
        k += 1;
    }
    return y;
}""", {"x": drawn(4), "a": drawn(4, 4, seed=1)}, newton, order=1, digits=1e-7)

# ---- l-BFGS with history and line search ----


def lbfgs(w, x, t):
    loss = lambda w: ((jnp.tanh(x @ w) - t) ** 2).sum() + 0.1 * (w ** 2).sum()
    S, Y = ([], [])
    g = jax.grad(loss)(w)
    for it in range(5):
        q = g
        al = []
        for s, y in zip(reversed(S), reversed(Y)):
            a = s @ q / (s @ y)
            al.append(a)
            q = q - a * y
        if S:
            q = q * (S[-1] @ Y[-1]) / (Y[-1] @ Y[-1])
        for s, y, a in zip(S, Y, reversed(al)):
            q = q + s * (a - y @ q / (s @ y))
        step = 1.0
        for k in range(10):
            if loss(w - step * q) <= loss(w) - 0.0001 * step * (g @ q):
                break
            step = step * 0.5
        w2 = w - step * q
        g2 = jax.grad(loss)(w2)
        S.append(w2 - w)
        Y.append(g2 - g)
        S, Y = (S[-3:], Y[-3:])
        w, g = (w2, g2)
    return w


method("l-bfgs by hand", """
fn loss(w, x, t) { return finish(sum(square(tanh(x @ w) - t))) + 0.1 * sum(square(w)); }
fn f(w, x, t) {
    var y = w;
    var g = grad(loss, wrt = 0)(y, x, t);
    var ss = zeros([3, shape(w)[0]], dtype = f64);
    var ys = zeros([3, shape(w)[0]], dtype = f64);
    var have = 0;
    for it in 0..five {
        var q = g;
        var al = zeros([3], dtype = f64);
        for k in 0..have {
            let i = (it - 1 - k) % 3;
            let a = dot(ss[i], q) / dot(ss[i], ys[i]);
            al[i] = a;
            q = q - a * ys[i];
        }
        if have > 0 { let i = (it - 1) % 3; q = q * (dot(ss[i], ys[i]) / dot(ys[i], ys[i])); }
        for k in 0..have {
            let i = (it - have + k) % 3;
            q = q + ss[i] * (al[i] - dot(ys[i], q) / dot(ss[i], ys[i]));
        }
        var step = 1.0;
        for k in 0..10 {
            if loss(y - step * q, x, t) <= loss(y, x, t) - 1e-4 * step * dot(g, q) { break; }
            step = step * 0.5;
        }
        let z = y - step * q;
        let h = grad(loss, wrt = 0)(z, x, t);
        ss[it % 3] = z - y;
        ys[it % 3] = h - g;
        if have < 3 { have = have + 1; }
        y = z;
        g = h;
    }
    return y;
}""", {"w": drawn(3), "x": drawn(4, 3, seed=1), "t": drawn(4, seed=2)}, lbfgs, order=1, digits=1e-6, split={"x": "S(0)", "t": "S(0)"})

# ---- eM of a mixture ----


def em(x, mu):
    pi, var = (jnp.ones(2) / 2, jnp.ones(2))
    for _ in range(5):
        lp = jnp.log(pi) - 0.5 * jnp.log(var) - 0.5 * (x[:, None] - mu) ** 2 / var
        r = jax.nn.softmax(lp, 1)
        n = r.sum(0)
        mu = (r * x[:, None]).sum(0) / n
        var = (r * (x[:, None] - mu) ** 2).sum(0) / n + 0.1
        pi = n / x.shape[0]
    return jnp.concatenate([mu, var, pi])


method("em of a mixture", """
struct Mix { mu : f64[2], spread : f64[2], part : f64[2] }
op deviations(x[n], mu[k]) -> [n, k] = x - mu;
op weighed(r[n, k], x[n]) -> [k] = sum[n] r * x;
fn step(x, m) {
    let d = deviations(x, m.mu);
    let r = softmax(ln(m.part) - 0.5 * ln(m.spread) - 0.5 * square(d) / m.spread, dim = 1);
    let n = finish(sum(r, dim = 0));
    let mu = finish(weighed(r, x)) / n;
    let e = deviations(x, mu);
    return Mix(mu = mu, spread = finish(sum(r * square(e), dim = 0)) / n + 0.1, part = n / (shape(x)[0] as f64));
}
fn f(x, mu) {
    var m = Mix(mu = mu, spread = ones([2], dtype = f64), part = full(0.5, [2], dtype = f64));
    for i in 0..five { m = step(x, m); }
    return concat([m.mu, m.spread, m.part], dim = 0);
}""", {"x": drawn(8, scale=1.5), "mu": np.array([-1.0, 1.2])}, em, split={"x": "S(0)"})

# ---- metropolis with given draws; branch on data ----


def metro(x, z, u):
    e = lambda x: (x ** 2).sum() + jnp.sin(3 * x).sum()
    acc = 0
    tot = 0.0 * x
    for i in range(z.shape[0]):
        y = x + 0.7 * z[i]
        if u[i] < jnp.exp(e(x) - e(y)):
            x = y
            acc += 1
        tot = tot + x
    return tot / z.shape[0] + acc * x


WALK = """
fn e(x) { return sum(x ** 2) + sum(sin(3.0 * x)); }
fn walk(x, z, u) {
    var y = x;
    var accepted = 0;
    var total = 0.0 * x;
    for i in 0..shape(z)[0] {
        let p = y + 0.7 * z[i];
        if u[i] < exp(e(y) - e(p)) { y = p; accepted += 1; }
        total += y;
    }
    return total / (shape(z)[0] as f64) + (accepted as f64) * y;
}
"""
method("metropolis", WALK + "fn f(x, z, u) { return walk(x, z, u); }",
  {"x": drawn(3), "z": drawn(9, 3, seed=1), "u": abs(np.sin(np.arange(9.0) * 7))}, metro, by=["x", "z"])
method("metropolis, chains", WALK + "fn f(x, z, u) { return vmap(walk)(x, z, u); }", {"x": drawn(4, 3), "z": drawn(4, 6, 3, seed=1), "u": abs(np.sin(np.arange(24.0) * 7)).reshape(4, 6)},
  lambda x, z, u: jnp.stack([metro(*a) for a in zip(x, z, u)]), by=["x", "z"], split={k: "S(0)" for k in "xzu"})

# ---- gAE ----


def gae(r, v, d):
    a = jnp.zeros(r.shape[0])
    out = []
    for t in reversed(range(r.shape[1])):
        on = 1 - d[:, t]
        delta = r[:, t] + 0.9 * v[:, t + 1] * on - v[:, t]
        a = delta + 0.9 * 0.8 * on * a
        out.insert(0, a)
    return jnp.stack(out, 1)


for loop in ("for k in 0..T", "for k in 0..five"):
    method(f"advantages {loop}", """
fn f(r, v, d) {
    let T = shape(r)[1];
    var a = 0.0 * r[.., 0];
    var out = 0.0 * r;
    LOOP {
        let t = T - 1 - k;
        let on = 1.0 - d[.., t];
        let delta = r[.., t] + 0.9 * v[.., t + 1] * on - v[.., t];
        a = delta + 0.72 * on * a;
        out[.., t] = a;
    }
    return out;
}""".replace("LOOP", loop), {"r": drawn(4, 5), "v": drawn(4, 6, seed=1), "d": (drawn(4, 5, seed=2) > .5).astype("f8")}, gae, by=["r", "v"], split={k: "S(0)" for k in "rvd"})
method("advantages, branches in lines", """
fn one(r, v, d) {
    let T = shape(r)[0];
    var a = 0.0;
    var out = 0.0 * r;
    for k in 0..five {
        let t = T - 1 - k;
        if d[t] > 0.5 { a = r[t] - v[t]; } else { a = r[t] + 0.9 * v[t + 1] - v[t] + 0.72 * a; }
        out[t] = a;
    }
    return out;
}
fn f(r, v, d) { return vmap(one)(r, v, d); }""", {"r": drawn(4, 5), "v": drawn(4, 6, seed=1), "d": (drawn(4, 5, seed=2) > .5).astype("f8")}, gae, by=["r", "v"],
       split={k: "S(0)" for k in "rvd"})

# ---- tree in an array ----


def tree(x, w):
    n = {i: x[i] for i in range(7)}
    for i in reversed(range(3)):
        n[i] = jnp.tanh(n[2 * i + 1] @ w + n[2 * i + 2] * n[i])
    return n[0]


for form in ("for k in 0..3 { let i = 2 - k; BODY }", "for k in 0..three { let i = 2 - k; BODY }", "var i = 2; while i >= 0 { BODY i = i - 1; }"):
    method(f"tree {form[:12]}", "fn f(x, w) { var n = x; " + form.replace("BODY", "n[i] = tanh(n[2 * i + 1] @ w + n[2 * i + 2] * n[i]);") + " return n[0]; }",
       {"x": drawn(7, 3), "w": drawn(3, 3, seed=1)}, tree)


def treep(x, w, parent):
    h = x
    for i in reversed(range(1, x.shape[0])):
        h = h.at[int(parent[i])].add(jnp.tanh(h[i] @ w))
    return h[0]


method("tree by parents", """fn f(x, w, parent) { var h = x; let n = shape(x)[0]; for k in 0..n - 1 { let i = n - 1 - k; h[parent[i]] += tanh(h[i] @ w); } return h[0]; }""",
  {"x": drawn(6, 3), "w": drawn(3, 3, seed=1), "parent": np.array([0, 0, 0, 1, 1, 3], np.int64)}, treep)
method("tree by parents, columns", """fn f(x, w, parent) { var h = x; let n = shape(x)[0]; for k in 0..n - 1 { let i = n - 1 - k; h[parent[i]] += tanh(h[i] * w); } return h[0]; }""",
  {"x": drawn(6, 4), "w": drawn(4, seed=1), "parent": np.array([0, 0, 0, 1, 1, 3], np.int64)}, lambda x, w, parent: treep(x, jnp.diag(w), parent), split={"x": "S(1)", "w": "S(0)"})

# ---- beam search ----


def beam(x, w):
    B = 2
    K = x.shape[1]
    s = jnp.sort(jax.nn.log_softmax(x[0]))[::-1][:B]
    last = jnp.argsort(-x[0])[:B]
    path = [[int(l)] for l in last]
    for t in range(1, x.shape[0]):
        m = s[:, None] + jax.nn.log_softmax(x[t] + w[jnp.array(last)], -1)
        o = jnp.argsort(-m.reshape(-1))[:B]
        s = m.reshape(-1)[o]
        path = [path[int(i) // K] + [int(i) % K] for i in o]
        last = [p[-1] for p in path]
    return s + 0.001 * jnp.array([sum(((i + 1) * v for i, v in enumerate(p))) for p in path], float)


method("beam search", """
fn f(x, w) {
    let (T, K) = shape(x);
    let first = top_k(log_softmax(x[0]), 2);
    var s = first[0];
    var last = first[1] as i64;
    var path = zeros([2, T], dtype = i64);
    path[.., 0] = last;
    for t in 1..T {
        let m = unsqueeze(s) + log_softmax(x[t] + take(w, last, dim = 0), dim = 1);
        let (best, at) = top_k(reshape(m, [2 * K]), 2);
        let from = floor_div(at as i64, K);
        last = at as i64 % K;
        path = take(path, from, dim = 0);
        path[.., t] = last;
        s = best;
    }
    return s + 0.001 * (sum(path * (iota(T) + 1), dim = 1) as f64);
}""", {"x": drawn(5, 4), "w": drawn(4, 4, seed=1)}, beam, order=1)

# ---- kalman ----


def kalman(z, a, q):
    n = a.shape[0]
    m = jnp.zeros(n)
    P = jnp.eye(n)
    H = jnp.ones((1, n))
    ll = 0.0
    for t in range(z.shape[0]):
        m = a @ m
        P = a @ P @ a.T + jnp.diag(jnp.exp(q))
        S = (H @ P @ H.T)[0, 0] + 0.3
        K = (P @ H.T)[:, 0] / S
        r = z[t] - m.sum()
        ll = ll - 0.5 * (r * r / S + jnp.log(S))
        m = m + K * r
        P = P - jnp.outer(K, K) * S
    return ll


KAL = """
struct Belief { m : f64[3], p : f64[3, 3] }
op outer(a[i], b[j]) -> [i, j] = a * b;
op on_diagonal(a[i], like[i, j]) -> [i, j] = if i == j => a + 0.0 * like else 0.0 * like;
fn one(z, a, q) {
    var s = Belief(m = 0.0 * q, p = eye(3, dtype = f64));
    var ll = 0.0;
    for t in 0..shape(z)[0] {
        let m = a @ s.m;
        let p = a @ s.p @ transpose(a) + on_diagonal(exp(q), s.p);
        let h = sum(p, dim = 1);
        let v = sum(h) + 0.3;
        let k = h / v;
        let r = z[t] - sum(m);
        ll = ll - 0.5 * (r * r / v + ln(v));
        s = Belief(m = m + k * r, p = p - outer(k, k) * v);
    }
    return ll;
}
"""
method("kalman", KAL + "fn f(z, a, q) { return one(z, a, q); }", {"z": drawn(5), "a": drawn(3, 3, seed=1), "q": drawn(3, seed=2)}, kalman)
method("kalman, lines", KAL + "fn f(z, a, q) { return vmap(one, over = 0)(z, a, q); }",
       {"z": drawn(4, 5), "a": drawn(3, 3, seed=1), "q": drawn(3, seed=2)}, lambda z, a, q: jnp.stack([kalman(y, a, q) for y in z]), split={"z": "S(0)"})

# ---- sinkhorn until it changes little ----


def sink(m):
    u = jnp.zeros(m.shape[0])
    v = jnp.zeros(m.shape[1])
    k = 0
    e = 1.0
    while e > 0.001 and k < 50:
        u2 = -jax.nn.logsumexp(m + v, 1)
        v2 = -jax.nn.logsumexp(m + u2[:, None], 0)
        e = abs(u2 - u).max()
        u, v, k = (u2, v2, k + 1)
    return jnp.exp(m + u[:, None] + v)


method("sinkhorn", """
fn f(m) {
    var u = 0.0 * m[.., 0];
    var v = 0.0 * m[0];
    var e = 1.0;
    var k = 0;
    while e > 1e-3 && k < many {
        let u2 = -logsumexp(m + v, dim = 1);
        v = -logsumexp(m + unsqueeze(u2), dim = 0);
        e = max(abs(u2 - u));
        u = u2;
        k += 1;
    }
    return exp(m + unsqueeze(u) + v);
}""", {"m": drawn(4, 4)}, sink, digits=1e-7)

# ---- adam by hand over a list, learnt through ----


def adam(w, v, x, t):
    loss = lambda p: ((jnp.tanh(x @ p[0]) @ p[1] - t) ** 2).mean()
    p = [w, v]
    m = [0 * a for a in p]
    s = [0 * a for a in p]
    for k in range(5):
        g = jax.grad(loss)(p)
        n = jnp.sqrt(sum(((a ** 2).sum() for a in g)))
        if n > 0.5:
            g = [a * 0.5 / n for a in g]
        m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]
        s = [0.99 * a + 0.01 * b * b for a, b in zip(s, g)]
        p = [a - 0.1 * (b / (1 - 0.9 ** (k + 1))) / jnp.sqrt(c / (1 - 0.99 ** (k + 1)) + 0.001) for a, b, c in zip(p, m, s)]
    return loss(p)


method("adam by hand over a list", """
fn loss(p, x, t) { return finish(mean(square(tanh(x @ p[0]) @ p[1] - t))); }
fn f(w, v, x, t) {
    var p = [w, v];
    var m = [0.0 * w, 0.0 * v];
    var s = [0.0 * w, 0.0 * v];
    for k in 0..five {
        var g = grad(loss, wrt = 0)(p, x, t);
        let n = sqrt(sum(square(g[0])) + sum(square(g[1])));
        if n > 0.5 { g = [g[0] * (0.5 / n), g[1] * (0.5 / n)]; }
        for i in 0..2 {
            m[i] = 0.9 * m[i] + 0.1 * g[i];
            s[i] = 0.99 * s[i] + 0.01 * g[i] * g[i];
            p[i] = p[i] - 0.1 * (m[i] / (1.0 - 0.9 ** (k as f64 + 1.0))) / sqrt(s[i] / (1.0 - 0.99 ** (k as f64 + 1.0)) + 1e-3);
        }
    }
    return loss(p, x, t);
}""", {"w": drawn(3, 4), "v": drawn(4, seed=1), "x": drawn(8, 3, seed=2), "t": drawn(8, seed=3)}, adam, by=["w", "v"], digits=1e-7, split={"x": "S(0)", "t": "S(0)"})
method("adam by hand over a struct", """
struct Net { w : f64[3, 4], v : f64[4] }
fn loss(p, x, t) { return finish(mean(square(tanh(x @ p.w) @ p.v - t))); }
fn f(w, v, x, t) {
    var p = Net(w = w, v = v);
    var m = 0.0 * p;
    var s = 0.0 * p;
    for k in 0..five {
        var g = grad(loss, wrt = 0)(p, x, t);
        let n = sqrt(sum(square(g.w)) + sum(square(g.v)));
        if n > 0.5 { g = g * (0.5 / n); }
        m = 0.9 * m + 0.1 * g;
        s = 0.99 * s + 0.01 * (each d in g => d * d);
        let (a, b) = (1.0 - 0.9 ** (k as f64 + 1.0), 1.0 - 0.99 ** (k as f64 + 1.0));
        p.w -= 0.1 * (m.w / a) / sqrt(s.w / b + 1e-3);
        p.v -= 0.1 * (m.v / a) / sqrt(s.v / b + 1e-3);
    }
    return loss(p, x, t);
}""", {"w": drawn(3, 4), "v": drawn(4, seed=1), "x": drawn(8, 3, seed=2), "t": drawn(8, seed=3)}, adam, by=["w", "v"], digits=1e-7, split={"x": "S(0)", "t": "S(0)"})

# ---- leapfrog ----


def leap(x, p):
    e = lambda x: (x ** 4).sum() + jnp.sin(x[0] * x[1])
    for k in range(5):
        p = p - 0.05 * jax.grad(e)(x)
        x = x + 0.1 * p
        p = p - 0.05 * jax.grad(e)(x)
    return jnp.concatenate([x, p])


method("leapfrog", """struct At { x : f64[3], p : f64[3] }
fn e(x) { return sum(x ** 4) + sin(x[0] * x[1]); }
fn f(x, q) { var s = At(x = x, p = q); for k in 0..five { s.p -= 0.05 * grad(e)(s.x); s.x += 0.1 * s.p; s.p -= 0.05 * grad(e)(s.x); } return concat([s.x, s.p], dim = 0); }""",
       {"x": drawn(3), "q": drawn(3, seed=1)}, lambda x, q: leap(x, q))


def bodies(x, v):
    m = jnp.arange(1.0, x.shape[0] + 1)
    for k in range(5):
        d = x[None] - x[:, None]
        r = jnp.sqrt((d ** 2).sum(-1) + 0.3)
        v = v + 0.05 * (m[None, :, None] * d / (r ** 3)[..., None]).sum(1)
        x = x + 0.05 * v
    return x


method("bodies", """
op pull(x[i, k], y[j, k], m[j], r[i, j]) -> [i, k] = sum[j] m * (y - x) / (r * r * r);
op apart(x[i, k], y[j, k]) -> [i, j] = sum[k] (y - x) * (y - x);
fn f(x, v) {
    let m = (iota(4) + 1) as f64;
    var y = x;
    var u = v;
    for k in 0..five {
        let all = y to B;
        let r = sqrt(apart(y, all) + 0.3);
        u = u + 0.05 * pull(y, all, m, r);
        y = y + 0.05 * u;
    }
    return y;
}""", {"x": drawn(4, 2), "v": drawn(4, 2, seed=1)}, bodies, split={"x": "S(0)", "v": "S(0)"})

# ---- adaptive step ----


def heun(y, a):
    t, h = (0.0, 0.4)
    n = 0
    while t < 1.0 and n < 50:
        s = jnp.minimum(h, 1.0 - t)
        k1 = jnp.tanh(a @ y)
        k2 = jnp.tanh(a @ (y + s * k1))
        e = s * abs(k1 - k2).max() / 2
        if e < 0.001:
            y = y + s * (k1 + k2) / 2
            t = t + s
        h = s * jnp.clip(0.9 * jnp.sqrt(0.001 / (e + 1e-12)), 0.2, 3.0)
        n += 1
    return y * (1 + t)


method("adaptive steps", """
fn f(y, a) {
    var u = y;
    var t = 0.0;
    var h = 0.4;
    var n = 0;
    while t < 1.0 && n < many {
        let s = minimum(h, 1.0 - t);
        let k1 = tanh(a @ u);
        let k2 = tanh(a @ (u + s * k1));
        let e = s * max(abs(k1 - k2)) / 2.0;
        if e < 1e-3 { u = u + s * (k1 + k2) / 2.0; t = t + s; }
        h = s * clamp(0.9 * sqrt(1e-3 / (e + 1e-12)), 0.2, 3.0);
        n += 1;
    }
    return u * (1.0 + t);
}""", {"y": drawn(3), "a": drawn(3, 3, seed=1)}, heun, digits=1e-7)

# ---- k-means ----


def kmeans(x, m):
    for _ in range(3):
        a = ((x[:, None] - m) ** 2).sum(-1).argmin(1)
        o = jax.nn.one_hot(a, m.shape[0], dtype=x.dtype)
        n = o.sum(0)
        m = jnp.where((n > 0)[:, None], o.T @ x / jnp.maximum(n, 1)[:, None], m)
    return m


method("k-means", """
op apart(x[n, d], m[k, d]) -> [n, k] = sum[d] (x - m) * (x - m);
fn f(x, m) {
    var c = m;
    for i in 0..three {
        let a = argmin(stop_gradient(apart(x, c)), dim = 1);
        let n = finish(segment_sum(ones([8], dtype = f64), a, 3, dim = 0));
        let s = finish(segment_sum(x, a, 3, dim = 0));
        c = where(unsqueeze(n) > 0.0, s / unsqueeze(maximum(n, 1.0)), c);
    }
    return c;
}""", {"x": drawn(8, 2), "m": drawn(3, 2, seed=1)}, kmeans, on=[(1, False), (2, True)])

# ---- lengths and masks ----


def gru_masked(x, w, u, ln):
    h = jnp.zeros((x.shape[0], u.shape[0]))
    for t in range(x.shape[1]):
        n = jnp.tanh(x[:, t] @ w + h @ u)
        h = jnp.where((t < ln)[:, None], n, h)
    return h


method("masked recurrence", """
fn f(x, w, u, ln) { var h = 0.0 * (x[.., 0, ..] @ w); for t in 0..shape(x)[1] { h = where(unsqueeze(t < ln), tanh(x[.., t, ..] @ w + h @ u), h); } return h; }""",
  {"x": drawn(4, 5, 2), "w": drawn(2, 3, seed=1), "u": drawn(3, 3, seed=2), "ln": np.array([5, 0, 2, 3], np.int64)}, gru_masked, split={"x": "S(0)", "ln": "S(0)"})
method("recurrence to a length", """
fn one(x, ln, w, u) { var h = 0.0 * u[0]; for t in 0..ln { h = tanh(x[t] @ w + h @ u); } return h; }
fn f(x, w, u, ln) { return vmap(one, over = (0, 1))(x, ln, w, u); }""",
  {"x": drawn(4, 5, 2), "w": drawn(2, 3, seed=1), "u": drawn(3, 3, seed=2), "ln": np.array([5, 0, 2, 3], np.int64)}, gru_masked, split={"x": "S(0)", "ln": "S(0)"})

# ---- cache decoding ----


def decode(x, wq, wk, wv):
    y = x[0]
    ks, vs, out = ([], [], [])
    for t in range(5):
        ks.append(y @ wk)
        vs.append(y @ wv)
        q = y @ wq
        p = jax.nn.softmax(jnp.stack([k @ q for k in ks]))
        y = jnp.tanh(sum((a * v for a, v in zip(p, vs))) + x[t])
        out.append(y)
    return jnp.stack(out)


for loop in ("0..5", "0..five"):
    method(f"attention with a cache {loop}", """
fn f(x, wq, wk, wv) {
    var ks = zeros([5, 3], dtype = f64);
    var vs = zeros([5, 3], dtype = f64);
    var y = x[0];
    var out = 0.0 * x;
    for t in LOOP {
        ks[t] = y @ wk;
        vs[t] = y @ wv;
        let s = where(iota(5) <= t, ks @ (y @ wq), -1.0e30);
        y = tanh(softmax(s) @ vs + x[t]);
        out[t] = y;
    }
    return out;
}""".replace("LOOP", loop), {"x": drawn(5, 3), "wq": drawn(3, 3, seed=1), "wk": drawn(3, 3, seed=2), "wv": drawn(3, 3, seed=3)}, decode)

# ---- thomas ----


def thomas(a, b, d, r):
    n = b.shape[0]
    return jnp.linalg.solve(jnp.diag(b + 4) + jnp.diag(a[1:], -1) + jnp.diag(d[:-1], 1), r)


for up in ("1..n", "1..five"):
    method(f"tridiagonal {up}", """
fn f(a, b, d, r) {
    let n = shape(b)[0];
    var e = b + 4.0;
    var s = r;
    for i in UP { let m = a[i] / e[i - 1]; e[i] -= m * d[i - 1]; s[i] -= m * s[i - 1]; }
    s[n - 1] = s[n - 1] / e[n - 1];
    for k in 0..n - 1 { let i = n - 2 - k; s[i] = (s[i] - d[i] * s[i + 1]) / e[i]; }
    return s;
}""".replace("UP", up), {k: drawn(5, seed=i) for i, k in enumerate("abdr")}, thomas)

# ---- gram-Schmidt, power iteration ----


def gram(a):
    q = []
    for j in range(a.shape[1]):
        v = a[:, j]
        for k in q:
            v = v - k @ v * k
        q.append(v / jnp.sqrt(v @ v))
    return jnp.stack(q, 1)


method("gram-schmidt", """fn f(a) { var q = a; for j in 0..shape(a)[1] { var v = q[.., j]; for k in 0..j { v = v - dot(q[.., k], v) * q[.., k]; } q[.., j] = v / sqrt(dot(v, v)); } return q; }""", {"a": drawn(5, 3)}, gram)
method("gram-schmidt, rows", """fn f(a) { var q = a; for j in 0..three { var v = q[.., j]; for k in 0..j { v = v - finish(dot(q[.., k], v)) * q[.., k]; } q[.., j] = v / sqrt(finish(dot(v, v))); } return q; }""", {"a": drawn(5, 3)}, gram, split={"a": "S(0)"})


def power(m):
    a = m @ m.T
    out = []
    v = jnp.ones(4) / 2
    for k in range(2):
        v = jnp.ones(4) / 2
        for _ in range(60):
            v = a @ v
            v = v / jnp.sqrt(v @ v)
        l = v @ a @ v
        out.append(l)
        a = a - l * jnp.outer(v, v)
    return jnp.stack(out)


method("power iteration", """
op outer(a[i], b[j]) -> [i, j] = a * b;
fn f(m) {
    var a = finish(m @ transpose(m));
    var out = zeros([2], dtype = f64);
    for k in 0..2 {
        var v = full(0.5, [4], dtype = f64);
        for i in 0..many + 10 { v = a @ v; v = v / sqrt(dot(v, v)); }
        let l = dot(v, a @ v);
        out[k] = l;
        a = a - l * outer(v, v);
    }
    return out;
}""", {"m": drawn(4, 4)}, power, order=1, digits=1e-6, split={"m": "S(1)"})

# ---- value iteration ----


def bellman(r, p):
    P = jax.nn.softmax(p, -1)
    v = jnp.zeros(r.shape[0])
    k = 0
    e = 1.0
    while e > 0.01 and k < 50:
        n = (r + 0.8 * jnp.einsum('ast,t->sa', P, v)).max(1)
        e = abs(n - v).max()
        v = n
        k += 1
    return v


method("value iteration", """
op ahead(p[a, s, t], v[t]) -> [s, a] = sum[t] p * v;
fn f(r, m) {
    let q = softmax(m, dim = 2);
    var v = 0.0 * r[.., 0];
    var e = 1.0;
    var k = 0;
    while e > 1e-2 && k < many { let n = max(r + 0.8 * ahead(q, v), dim = 1); e = max(abs(n - v)); v = n; k += 1; }
    return v;
}""", {"r": drawn(4, 2), "m": drawn(2, 4, 4, seed=1)}, lambda r, m: bellman(r, m))

# ---- online softmax over blocks ----


def online(q, k, v):
    return jax.nn.softmax(q @ k.T, -1) @ v


for n in ("0..3", "0..three"):
    method(f"softmax by blocks {n}", """
fn f(q, k, v) {
    var m = full(-1.0e30, [4, 1], dtype = f64);
    var s = zeros([4, 1], dtype = f64);
    var y = zeros([4, 2], dtype = f64);
    for b in N {
        let z = q @ transpose(k[b * 2..(b + 1) * 2, ..]);
        let n = maximum(m, unsqueeze(max(z, dim = 1)));
        let e = exp(z - n);
        let c = exp(m - n);
        s = s * c + unsqueeze(sum(e, dim = 1));
        y = y * c + e @ v[b * 2..(b + 1) * 2, ..];
        m = n;
    }
    return y / s;
}""".replace("N", n, 1), {"q": drawn(4, 2), "k": drawn(6, 2, seed=1), "v": drawn(6, 2, seed=2)}, online)

# ---- prefix by doubling, sorting by exchanges ----


def sorted_(x):
    return jnp.sort(x)


method("bubble sort", """fn f(x) { var y = x; let n = shape(x)[0];
    for i in 0..n {
        for j in 0..n - 1 - i { let (a, b) = (y[j], y[j + 1]); if a > b { y[j] = b; y[j + 1] = a; } } }
    return y; }""", {"x": drawn(5)}, sorted_)
method("insertion sort", """fn f(x) { var y = x;
    for i in 1..five { var j = i; while j > 0 && y[maximum(j - 1, 0)] > y[j] { let a = y[j]; y[j] = y[j - 1]; y[j - 1] = a; j -= 1; } }
    return y; }""", {"x": drawn(5)}, sorted_)
method("sort of lines", """fn one(x) { var y = x; let n = shape(x)[0];
    for i in 0..n {
        for j in 0..n - 1 { let (a, b) = (y[j], y[j + 1]); if a > b { y[j] = b; y[j + 1] = a; } } }
    return y; } fn f(x) { return vmap(one)(x); }""", {"x": drawn(4, 4)}, lambda x: jnp.sort(x, 1), split={"x": "S(0)"})
method("doubling", """fn f(x) { var y = x; var s = 1; while s < 8 { var z = y; for i in 0..8 { if i >= s { z[i] = y[i] + y[i - s]; } } y = z; s = s * 2; } return y; }""",
       {"x": drawn(8, 2)}, lambda x: jnp.cumsum(x, 0), split={"x": "S(1)"})
method("horner", """fn f(c, x) { var y = 0.0 * x; for i in 0..shape(c)[0] { y = y * x + c[shape(c)[0] - 1 - i]; } return y; }""",
       {"c": drawn(6), "x": drawn(4, seed=1)}, lambda c, x: sum(c[i] * x ** i for i in range(6)), split={"x": "S(0)"})

# ---- implicit Euler with Newton inside ----


def implicit(y, a):
    for n in range(3):
        z = y
        for k in range(20):
            r = z - y - 0.3 * (a * z - z ** 3)
            d = 1 - 0.3 * (a - 3 * z ** 2)
            if abs(r).max() < 1e-13:
                break
            z = z - r / d
        y = z
    return y


method("implicit steps", """
fn f(y, a) {
    var u = y;
    for n in 0..three {
        var z = u;
        for k in 0..20 {
            let r = z - u - 0.3 * (a * z - z ** 3);
            if finish(max(abs(r))) < 1e-13 { break; }
            z = z - r / (1.0 - 0.3 * (a - 3.0 * z ** 2));
        }
        u = z;
    }
    return u;
}""", {"y": drawn(4), "a": drawn(4, seed=1)}, implicit, order=1, digits=1e-7, split={"y": "S(0)", "a": "S(0)"})
method("implicit steps, lines", """
fn one(y, a) {
    var u = y;
    for n in 0..three {
        var z = u;
        while abs(z - u - 0.3 * (a * z - z ** 3)) > 1e-13 {
            z = z - (z - u - 0.3 * (a * z - z ** 3)) / (1.0 - 0.3 * (a - 3.0 * z ** 2));
        }
        u = z;
    }
    return u;
}
fn f(y, a) { return vmap(one)(y, a); }""", {"y": drawn(4), "a": drawn(4, seed=1)}, implicit, order=1, digits=1e-7, split={"y": "S(0)", "a": "S(0)"})

# ---- perceptron ----


def percep(x, t, w):
    for e in range(3):
        for i in range(x.shape[0]):
            if t[i] * (w @ x[i]) <= 0.3:
                w = w + 0.2 * t[i] * x[i]
    return w


method("perceptron", """fn f(x, t, w) { var v = w; for e in 0..three { for i in 0..shape(x)[0] { if t[i] * dot(v, x[i]) <= 0.3 { v = v + 0.2 * t[i] * x[i]; } } } return v; }""",
       {"x": drawn(5, 3), "t": np.sign(drawn(5, seed=1)), "w": drawn(3, seed=2)}, percep, by=["x", "w"])


def until_right(x, t, w):
    for e in range(50):
        wrong = 0
        for i in range(x.shape[0]):
            if t[i] * (w @ x[i]) <= 0.1:
                w = w + 0.2 * t[i] * x[i]
                wrong += 1
        if wrong == 0:
            break
    return w


method("perceptron until right", """fn f(x, t, w) {
    var v = w;
    for e in 0..many {
        var wrong = 0;
        for i in 0..shape(x)[0] { if t[i] * dot(v, x[i]) <= 0.1 { v = v + 0.2 * t[i] * x[i]; wrong += 1; } }
        if wrong == 0 { break; }
    }
    return v; }""", {"x": drawn(4, 3), "t": np.sign(drawn(4, seed=1)), "w": drawn(3, seed=2)},
  until_right, by=["x", "w"])
# ---- second order ----


def cgn(w, x, t):
    loss = lambda w: ((jnp.tanh(x @ w) - t) ** 2).sum() + (w ** 2).sum()
    for it in range(3):
        g = jax.grad(loss)(w)
        d = jnp.zeros_like(w)
        r = -g
        p = r
        for k in range(3):
            q = jax.jvp(jax.grad(loss), (w,), (p,))[1]
            al = r @ r / (p @ q)
            d = d + al * p
            n = r - al * q
            p = n + n @ n / (r @ r) * p
            r = n
        w = w + 0.5 * d
    return w


method("newton-cg", """
fn loss(w, x, t) { return finish(sum(square(tanh(x @ w) - t))) + sum(square(w)); }
fn slope(w, x, t) { return grad(loss, wrt = 0)(w, x, t); }
fn f(w, x, t) {
    var v = w;
    for it in 0..three {
        let g = grad(loss, wrt = 0)(v, x, t);
        var d = 0.0 * v;
        var r = -g;
        var p = r;
        for k in 0..3 {
            let q = jvp(slope, wrt = 0)(v, x, t, p)[1];
            let rr = dot(r, r);
            let al = rr / dot(p, q);
            d = d + al * p;
            r = r - al * q;
            p = r + dot(r, r) / rr * p;
        }
        v = v + 0.5 * d;
    }
    return v;
}""", {"w": drawn(4), "x": drawn(4, 4, seed=1), "t": drawn(4, seed=2)}, cgn, order=1, digits=1e-7, split={"x": "S(0)", "t": "S(0)"})


def gaussn(w, x, t):
    for it in range(3):
        r = lambda w: jnp.tanh(x @ w) - t
        J = jax.jacobian(r)(w)
        w = w - jnp.linalg.solve(J.T @ J + 0.1 * jnp.eye(3), J.T @ r(w))
    return w


method("levenberg-marquardt", """import std.linalg;
fn r(w, x, t) { return tanh(x @ w) - t; }
fn f(w, x, t) {
    var v = w;
    for it in 0..three {
        var j = 0.0 * x;
        for k in 0..3 { j[.., k] = jvp(r, wrt = 0)(v, x, t, eye(3, dtype = f64)[k])[1]; }
        v = v - linalg.solve(transpose(j) @ j + 0.1 * eye(3, dtype = f64), transpose(j) @ r(v, x, t));
    }
    return v;
}""", {"w": drawn(3), "x": drawn(5, 3, seed=1), "t": drawn(5, seed=2)}, gaussn, order=1, digits=1e-7, on=[(1, False), (2, False), (2, True)])
