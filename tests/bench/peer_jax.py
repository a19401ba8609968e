"""The cases of peers.py in JAX, each step one jitted function: case(name) gives a function of no arguments that does one step,
or None where a case has no counterpart."""
from functools import partial

import jax
import jax.numpy as np
from peers import CONVOLUTIONS, LAYERS, REDUCTIONS

POSITIONS, ROOM = 1024, 256
# layers, width, heads, tokens there are, sequences, tokens of each
GPT = {"gpt_small": (4, 256, 4, 4096, 8, 128), "gpt2": (12, 768, 12, 50257, 4, 64), "gpt2_long": (12, 768, 12, 50257, 4, 512),
       "gpt2_inference": (12, 768, 12, 50257, 1, 64), "gpt2_decode": (12, 768, 12, 50257, 1, 1)}
KEY = jax.random.PRNGKey(0)


def normal(i, *shape, std=0.05):
    return std * jax.random.normal(jax.random.fold_in(KEY, i), shape)


def uniform(i, *shape):
    return jax.random.uniform(jax.random.fold_in(KEY, i), shape)


def integers(i, below, *shape):
    return jax.random.randint(jax.random.fold_in(KEY, i), shape, 0, below)


# ---- updates: params (and what the optimizer keeps) are given away, so that they are updated in place


def placed(kept, rest):
    """Where arrays live; peer_ranks_jax.py has another."""
    return kept, rest


def stepping(function, kept, *rest):
    kept, rest = placed(kept, rest)
    cell = [kept]

    def step():
        cell[0], loss = function(cell[0], *rest)
        jax.block_until_ready((cell[0], loss))
    return step


def sgd(loss, params, *rest, rate=0.01):
    @partial(jax.jit, donate_argnums=0)
    def update(p, *a):
        value, gradient = jax.value_and_grad(loss)(p, *a)
        return jax.tree.map(lambda x, g: x - rate * g, p, gradient), value
    return stepping(update, params, *rest)


def adam_update(loss, rate, decay):
    @partial(jax.jit, donate_argnums=0)
    def update(kept, *a):
        p, m, v, t = kept
        value, gradient = jax.value_and_grad(loss)(p, *a)
        t = t + 1
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradient)
        one, two = 1 - 0.9**t, 1 - 0.999**t
        p = jax.tree.map(lambda x, m, v: x - rate * (m / one / (np.sqrt(v / two) + 1e-8) + decay * x), p, m, v)
        return (p, m, v, t), value
    return update


def adam_state(params):
    return (params, jax.tree.map(np.zeros_like, params), jax.tree.map(np.zeros_like, params), np.float32(0))


def adam(loss, params, *rest, rate=1e-4, decay=0.01):
    return stepping(adam_update(loss, rate, decay), adam_state(params), *rest)


def cross_entropy(logits, classes):
    return -np.mean(np.take_along_axis(jax.nn.log_softmax(logits, -1), classes[..., None], -1))


def layernorm(x, scale, shift):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * scale + shift


# ---- transformers


def gpt_params(layers, d, tokens):
    def block(i):
        return {"g1": np.ones(d), "b1": np.zeros(d), "qkv": normal(i, d, 3 * d), "bqkv": np.zeros(3 * d), "o": normal(i + 1, d, d),
                "bo": np.zeros(d), "g2": np.ones(d), "b2": np.zeros(d), "up": normal(i + 2, d, 4 * d), "bu": np.zeros(4 * d),
                "down": normal(i + 3, 4 * d, d), "bd": np.zeros(d)}
    return {"tokens": normal(1, tokens, d), "positions": normal(2, POSITIONS, d), "blocks": [block(10 * i + 10) for i in range(layers)],
            "gf": np.ones(d), "bf": np.zeros(d)}


def through(x, w, heads, attend):
    n, t, d = x.shape
    q, k, v = (y.reshape(n, t, heads, -1).transpose(0, 2, 1, 3) for y in np.split(layernorm(x, w["g1"], w["b1"]) @ w["qkv"] + w["bqkv"], 3, -1))
    x = x + attend(q, k, v).transpose(0, 2, 1, 3).reshape(n, t, d) @ w["o"] + w["bo"]
    return x + jax.nn.gelu(layernorm(x, w["g2"], w["b2"]) @ w["up"] + w["bu"], approximate=True) @ w["down"] + w["bd"]


def masked(q, k, v, seen):
    scores = np.where(seen, q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5, -np.inf)
    return jax.nn.softmax(scores, -1) @ v


def gpt(name):
    layers, d, heads, tokens, n, t = GPT[name]
    params, ids = gpt_params(layers, d, tokens), integers(1, tokens, n, t + 1)
    seen = np.tril(np.ones((t, t), bool))

    def logits(p, ids):
        x = p["tokens"][ids] + p["positions"][:t]
        for w in p["blocks"]:
            x = through(x, w, heads, lambda q, k, v: masked(q, k, v, seen))
        return layernorm(x, p["gf"], p["bf"]) @ p["tokens"].T
    if name == "gpt2_inference":
        run = jax.jit(lambda p, ids: logits(p, ids).max())
        return lambda: run(params, ids[:, :-1]).block_until_ready()
    return adam(lambda p, x, y: cross_entropy(logits(p, x), y), params, ids[:, :-1], ids[:, 1:])


def decode(name):
    layers, d, heads, tokens, _, _ = GPT[name]
    params = gpt_params(layers, d, tokens)
    past = [tuple(np.zeros((1, heads, ROOM, d // heads)) for _ in "kv") for _ in range(layers)]

    @partial(jax.jit, donate_argnums=1)
    def read(p, past, token, at):
        x, seen, new = (p["tokens"][token] + p["positions"][at])[None, None], np.arange(ROOM) <= at, []
        for w, (keys, values) in zip(p["blocks"], past):
            def attend(q, k, v):
                new.append(tuple(jax.lax.dynamic_update_slice(y, z, (0, 0, at, 0)) for y, z in ((keys, k), (values, v))))
                return masked(q, *new[-1], seen)
            x = through(x, w, heads, attend)
        return new, np.argmax(layernorm(x, p["gf"], p["bf"]) @ p["tokens"].T).astype(np.int32)
    now = {"past": past, "token": np.int32(0), "at": 64}

    def step():
        now["past"], now["token"] = read(params, now["past"], now["token"], now["at"])
        now["token"].block_until_ready()
        now["at"] = 64 + (now["at"] - 63) % 64
    return step


# ---- other networks


def mlp(name):
    n = int(name.split("_")[1])
    params = [(normal(i, a, b), np.zeros(b)) for i, (a, b) in enumerate(((784, 512), (512, 512), (512, 10)))]

    def loss(p, x, t):
        for w, b in p[:-1]:
            x = jax.nn.relu(x @ w + b)
        return cross_entropy(x @ p[-1][0] + p[-1][1], t)
    return sgd(loss, params, uniform(4, n, 784), integers(5, 10, n))


def convnet(name):
    images = int((name.split("_") + ["100"])[1])
    blocks = [{"k": normal(i, 3, 3, a, o, std=0.2), "scale": np.ones(o), "shift": np.zeros(o)} for i, (a, o) in enumerate(((1, 8), (8, 16), (16, 32)))]
    params = {"blocks": blocks, "w": normal(4, 32 * 49, 10), "b": np.zeros(10)}

    def block(x, c):
        y = jax.lax.conv_general_dilated(x, c["k"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        z = y.reshape(*y.shape[:3], 4, -1)
        z = (z - z.mean((1, 2, 4), keepdims=True)) * jax.lax.rsqrt(z.var((1, 2, 4), keepdims=True) + 1e-5)
        return jax.nn.relu(z.reshape(y.shape) * c["scale"] + c["shift"])

    def pool(x):
        return jax.lax.reduce_window(x, -np.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def loss(p, x, t):
        first, second, third = p["blocks"]
        h = block(pool(block(pool(block(x, first)), second)), third)
        likely = jax.nn.log_softmax(h.reshape(h.shape[0], -1) @ p["w"] + p["b"], -1)
        return -np.mean(0.95 * np.take_along_axis(likely, t[:, None], -1)[:, 0] + 0.05 * likely.mean(-1))
    return adam(loss, params, uniform(5, images, 28, 28, 1), integers(6, 10, images), rate=1e-3)


def convolution(name):
    x = normal(1, 16, 32, 32, 32)
    if name == "convolution_transposed":
        k = normal(2, 4, 4, 32, 32)
        run = jax.jit(lambda x, k: jax.lax.conv_transpose(x, k, (2, 2), "SAME", dimension_numbers=("NCHW", "HWIO", "NCHW")))
    else:
        k = normal(2, 32, 32, 3, 3)
        run = jax.jit(lambda x, k: jax.lax.conv_general_dilated(x, k, (1, 1), "SAME"))
    return lambda: run(x, k).block_until_ready()


def windows(name):
    given = dict(x.split("=") for x in CONVOLUTIONS[name.removesuffix("_gradient")].split())
    n, c, o, g, h, p, s = (int(given.get(a, b)) for a, b in (("N", 16), ("C", 32), ("O", 32), ("G", 1), ("H", 32), ("P", 3), ("S", 1)))
    x, k = normal(1, n, c, h, h, std=1), normal(2, o, c // g, p, p)

    def convolved(x, k):
        return jax.lax.conv_general_dilated(x, k, (s, s), [(p // 2, p // 2)] * 2, feature_group_count=g)
    if name.endswith("_gradient"):
        return sgd(lambda p: np.mean(convolved(*p) ** 2), (x, k), rate=1e-3)
    run = jax.jit(convolved)
    return lambda: run(x, k).block_until_ready()


def reduction(name):
    x, image, scale, shift = normal(1, 256, 256, 256, std=1), normal(2, 32, 64, 28, 28, std=1), np.ones(64), np.zeros(64)

    def groupnorm(image, scale, shift):
        y = image.reshape(32, 8, -1)
        y = (y - y.mean(-1, keepdims=True)) * jax.lax.rsqrt(y.var(-1, keepdims=True) + 1e-5)
        return y.reshape(image.shape) * scale[:, None, None] + shift[:, None, None]
    if name == "groupnorm_gradient":
        return sgd(lambda p: np.mean(groupnorm(*p) ** 2), (image, scale, shift), rate=1e-3)
    run = jax.jit({
        "sum_0": lambda x, image: x.sum(0),
        "sum_1": lambda x, image: x.sum(1),
        "sum_01": lambda x, image: x.sum((0, 1)),
        "sum_02": lambda x, image: x.sum((0, 2)),
        "sum_12": lambda x, image: x.sum((1, 2)),
        "max_1": lambda x, image: x.max(1),
        "channel_mean": lambda x, image: image.mean((0, 2, 3)),
        "groupnorm": lambda x, image: groupnorm(image, scale, shift),
        "squares_1": lambda x, image: (x ** 2).mean(1),
    }[name])
    return lambda: run(x, image).block_until_ready()


def lstm(_name):
    params, x = {"w": normal(1, 256, 1024), "u": normal(2, 256, 1024), "b": np.zeros(1024)}, normal(3, 16, 256, 256, std=1)

    def loss(p, x):
        def cell(kept, z):
            h, c = kept
            i, f, g, o = np.split(z + h @ p["u"], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * np.tanh(g)
            return (jax.nn.sigmoid(o) * np.tanh(c), c), None
        rows = (x @ p["w"] + p["b"]).swapaxes(0, 1)
        return np.mean(jax.lax.scan(cell, (np.zeros((16, 256)),) * 2, rows)[0][0] ** 2)
    return sgd(loss, params, x)


def attention(name):
    qkv = [normal(i, 1, int(name.split("_")[1]), 4, 64, std=1) for i in range(3)]
    return sgd(lambda p: np.mean(jax.nn.dot_product_attention(*p, is_causal=True) ** 2), qkv)


def recommender(name):
    if "sparse" in name:
        return None
    params = {"table": normal(1, 1000000, 16), "w1": normal(2, 26 * 16 + 13, 256), "b1": np.zeros(256), "w2": normal(3, 256, 64),
              "b2": np.zeros(64), "w3": normal(4, 64, 1)}
    ids, x, t = integers(5, 1000000, 4, 2048, 26), uniform(6, 2048, 13), (uniform(7, 2048) > 0.5).astype(np.float32)

    def loss(p, ids, x, t):
        e = p["table"][ids].reshape(2048, -1)
        h = jax.nn.relu(np.concatenate([e, x], 1) @ p["w1"] + p["b1"])
        z = (jax.nn.relu(h @ p["w2"] + p["b2"]) @ p["w3"])[:, 0]
        return np.mean(jax.nn.softplus(z) - z * t)
    if "adam" in name:
        return adam(loss, params, ids[0], x, t, rate=1e-3, decay=0.0)
    return sgd(loss, params, ids[0], x, t)


def embedding(_name):
    return sgd(lambda table, ids: np.mean(table[ids] ** 2), normal(1, 200000, 32), integers(2, 200000, 64))


def logits_of_many(_name):
    return sgd(cross_entropy, normal(1, 1024, 50257, std=1), integers(2, 50257, 1024))


def product(name):
    if name == "product_i8":
        a, b = (integers(i, 127, 1024, 1024).astype(np.int8) for i in range(2))
        run = jax.jit(lambda a, b: jax.lax.dot(a, b, preferred_element_type=np.int32))
        return lambda: run(a, b).block_until_ready()
    kind = np.bfloat16 if name == "product_bf16" else np.float32
    a, b = (normal(i, 1024, 1024).astype(kind) for i in range(2))
    run = jax.jit(lambda a, b: a @ b)
    return lambda: run(a, b).block_until_ready()


def operator(name):
    n = 4096
    x, a, y, scale, shift = normal(1, n, n, std=1), np.ones((n, n)), np.zeros((n, n)), np.ones(n), np.zeros(n)
    plain = {
        "axpy": lambda x, a, y: 1.5 * a + x,
        "chain": lambda x, a, y: a * x + y * (x - 0.5) * jax.nn.relu(x + a),
        "transcendental": lambda x, a, y: np.tanh(x * 0.5) * np.exp(-x * x) + jax.nn.sigmoid(x),
        "transpose": lambda x, a, y: x.T + 0.0,
        "cumsum": lambda x, a, y: np.cumsum(x, -1),
        "cumsum_rows": lambda x, a, y: np.cumsum(x, 0),
        "top_10": lambda x, a, y: jax.lax.top_k(x, 10),
        "argmax": lambda x, a, y: np.argmax(x, 1),
        "sort": lambda x, a, y: np.sort(x, -1),
        "layernorm": lambda x, a, y: layernorm(x, scale, shift),
        "softmax": lambda x, a, y: jax.nn.softmax(x, -1),
        "column_sums": lambda x, a, y: x.sum(0),
        "maximum": lambda x, a, y: x.max(),
    }
    if name in plain:
        run = jax.jit(plain[name])
        return lambda: jax.block_until_ready(run(x, a, y))
    if name == "layernorm_gradient":
        return sgd(lambda p: np.mean(layernorm(*p) ** 2), (x, scale, shift))
    bent = {"softmax_gradient": lambda p: jax.nn.softmax(p, -1), "gelu_gradient": lambda p: jax.nn.gelu(p, approximate=True)}[name]
    return sgd(lambda p: np.mean(bent(p) ** 2), x)


KINDS = {"gpt2_decode": decode, "gpt": gpt, "gpt2": gpt, "mlp": mlp, "convnet": convnet, "convolution": convolution, "lstm": lstm,
         "attention": attention, "recommender": recommender, "embedding": embedding, "cross_entropy": logits_of_many, "product": product}


def case(name):
    if name in LAYERS:
        return None
    make = KINDS.get(name) or (windows if name.removesuffix("_gradient") in CONVOLUTIONS else reduction if name in REDUCTIONS else None) or KINDS.get(name.split("_")[0], operator)
    return make(name)


VERSION = jax.__version__
