"""The cases of peers.py in PyTorch: case(name, wrap) gives a function of no arguments that does one step. `wrap` is
torch.compile, or leaves a function alone."""
import os

import torch
from peers import CONVOLUTIONS, LAYERS, REDUCTIONS
from torch import nn
from torch.nn import functional as F
from torch_networks import NETWORKS

POSITIONS, ROOM = 1024, 256
# layers, width, heads, tokens there are, sequences, tokens of each
GPT = {"gpt_small": (4, 256, 4, 4096, 8, 128), "gpt2": (12, 768, 12, 50257, 4, 64), "gpt2_long": (12, 768, 12, 50257, 4, 512),
       "gpt2_inference": (12, 768, 12, 50257, 1, 64), "gpt2_decode": (12, 768, 12, 50257, 1, 1)}


def trained(optimizers, objective):
    def step():
        loss = objective()
        for optimizer in optimizers:
            optimizer.zero_grad(set_to_none=True)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
    return step


def forward(function):
    def step():
        with torch.no_grad():
            return function()
    return step


# ---- transformers


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, attend):
        n, t, d = x.shape
        q, k, v = (y.view(n, t, self.heads, -1).transpose(1, 2) for y in self.qkv(self.first(x)).split(d, -1))
        x = x + self.out(attend(q, k, v).transpose(1, 2).reshape(n, t, d))
        return x + self.down(F.gelu(self.up(self.second(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, layers, width, heads, tokens):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(tokens, width), nn.Embedding(POSITIONS, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, ids, attends=None, at=None):
        x = self.tokens(ids) + (self.positions.weight[: ids.shape[1]] if at is None else self.positions(at)[None])
        for i, block in enumerate(self.blocks):
            x = block(x, attends[i] if attends else lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True))
        return F.linear(self.norm(x), self.tokens.weight)


def gpt(name, wrap):
    layers, width, heads, tokens, n, t = GPT[name]
    model = Gpt(layers, width, heads, tokens)
    ids = torch.randint(0, tokens, (n, t + 1))
    if name == "gpt2_inference":
        run = wrap(model.eval())
        return forward(lambda: run(ids[:, :-1]).max())
    rows, targets = ids[:, :-1].contiguous(), ids[:, 1:].flatten()
    adam = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    return trained([adam], wrap(lambda: F.cross_entropy(model(rows).flatten(0, 1), targets)))


def decode(name, wrap):
    layers, width, heads, tokens, _, _ = GPT[name]
    model = Gpt(layers, width, heads, tokens).eval()
    past = [[torch.zeros(1, heads, ROOM, width // heads) for _ in "kv"] for _ in range(layers)]

    def attend_into(keys, values, at):
        seen = (torch.arange(ROOM) <= at)[None, None, None, :]

        def attend(q, k, v):
            keys.index_copy_(2, at, k)
            values.index_copy_(2, at, v)
            return F.scaled_dot_product_attention(q, keys, values, attn_mask=seen)
        return attend

    def read(token, at):
        return model(token, [attend_into(k, v, at) for k, v in past], at).argmax(-1)
    run, now = wrap(read), {"token": torch.zeros(1, 1, dtype=torch.long), "at": 64}

    def step():
        now["token"] = run(now["token"], torch.tensor([now["at"]])).clone()
        now["at"] = 64 + (now["at"] - 63) % 64
    return forward(step)


# ---- other networks


def mlp_model():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def mlp(name, wrap):
    n = int(name.split("_")[1])
    model = mlp_model()
    x, t = torch.rand(n, 784), torch.randint(0, 10, (n,))
    return trained([torch.optim.SGD(model.parameters(), lr=0.01)], wrap(lambda: F.cross_entropy(model(x), t)))


def convnet_model():
    def block(i, o):
        return [nn.Conv2d(i, o, 3, padding=1, bias=False), nn.GroupNorm(4, o), nn.ReLU()]
    return nn.Sequential(*block(1, 8), nn.MaxPool2d(2), *block(8, 16), nn.MaxPool2d(2), *block(16, 32), nn.Flatten(),
                         nn.Linear(32 * 49, 10)).to(memory_format=torch.channels_last)


def convnet(_name, wrap):
    model = convnet_model()
    x = torch.rand(100, 1, 28, 28).contiguous(memory_format=torch.channels_last)
    t = torch.randint(0, 10, (100,))
    adam = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    return trained([adam], wrap(lambda: F.cross_entropy(model(x), t, label_smoothing=0.05)))


def convolution(name, wrap):
    x = torch.randn(16, 32, 32, 32)
    if name == "convolution_transposed":
        k = torch.randn(32, 32, 4, 4)
        return forward(wrap(lambda: F.conv_transpose2d(x, k, stride=2, padding=1)))
    k = torch.randn(32, 32, 3, 3)
    return forward(wrap(lambda: F.conv2d(x, k, padding=1)))


def constants(name):
    """Of cases/convolution.pml: images, channels, channels of the result, groups, height, window, stride."""
    given = dict(x.split("=") for x in CONVOLUTIONS[name.removesuffix("_gradient")].split())
    return [int(given.get(c, d)) for c, d in (("N", 16), ("C", 32), ("O", 32), ("G", 1), ("H", 32), ("P", 3), ("S", 1))]


def windows(name, wrap):
    n, c, o, g, h, p, s = constants(name)
    trains = name.endswith("_gradient")
    x, k = torch.randn(n, c, h, h, requires_grad=trains), (0.05 * torch.randn(o, c // g, p, p)).requires_grad_(trains)
    if os.environ.get("CHANNELS_LAST"):
        x, k = (t.detach().contiguous(memory_format=torch.channels_last).requires_grad_(trains) for t in (x, k))
    if not trains:
        return forward(wrap(lambda: F.conv2d(x, k, stride=s, padding=p // 2, groups=g)))
    return trained([torch.optim.SGD([x, k], lr=1e-3)], wrap(lambda: F.conv2d(x, k, stride=s, padding=p // 2, groups=g).square().mean()))


def reduction(name, wrap):
    x, image = torch.randn(256, 256, 256), torch.randn(32, 64, 28, 28)
    norm = nn.GroupNorm(8, 64)
    if name == "groupnorm_gradient":
        image.requires_grad_(True)
        return trained([torch.optim.SGD([image, *norm.parameters()], lr=1e-3)], wrap(lambda: norm(image).square().mean()))
    return forward(wrap({
        "sum_0": lambda: x.sum(0),
        "sum_1": lambda: x.sum(1),
        "sum_01": lambda: x.sum((0, 1)),
        "sum_02": lambda: x.sum((0, 2)),
        "sum_12": lambda: x.sum((1, 2)),
        "max_1": lambda: x.amax(1),
        "channel_mean": lambda: image.mean((0, 2, 3)),
        "groupnorm": lambda: norm(image),
        "squares_1": lambda: x.square().mean(1),
    }[name]))


def layer_gradients(name, wrap):
    image, line = torch.randn(32, 64, 56, 56, requires_grad=True), torch.randn(8, 64, 4096, requires_grad=True)
    weight, logits = (torch.randn(64, 64, 5) * 0.1).requires_grad_(), torch.randn(4096, 1000, requires_grad=True)
    few, tokens = torch.randn(8, 8, 128, 64, requires_grad=True), torch.randn(512, 512, requires_grad=True)
    gate, up, down = ((torch.randn(*s) * 0.05).requires_grad_() for s in ((512, 1376), (512, 1376), (1376, 512)))
    labels = torch.arange(4096) * 7919 % 1000

    def glu():
        x = F.rms_norm(tokens, (512,), eps=1e-5)
        return ((F.silu(x @ gate) * (x @ up)) @ down).square().mean()
    made = {
        "max_pool": (lambda: F.max_pool2d(image, 3, 2, 1).square().mean(), [image]),
        "avg_pool": (lambda: F.avg_pool2d(image, 2).square().mean(), [image]),
        "instancenorm": (lambda: F.instance_norm(image).square().mean(), [image]),
        "smoothed_cross_entropy": (lambda: F.cross_entropy(logits, labels, label_smoothing=0.1), [logits]),
        "conv1d": (lambda: F.conv1d(line, weight, padding=2).square().mean(), [line, weight]),
        "swiglu": (glu, [tokens, gate, up, down]),
        "small_attention": (lambda: F.scaled_dot_product_attention(few, few, few).square().mean(), [few]),
    }
    objective, params = made[name]
    return trained([torch.optim.SGD(params, lr=1e-3)], wrap(objective))


def layer(name, wrap):
    if name.endswith("_gradient"):
        return layer_gradients(name.removesuffix("_gradient"), wrap)
    x, small, table = torch.randn(2048, 2048), torch.randn(64, 32, 32), torch.randn(100000, 64)
    heads, image, cube = torch.randn(4, 8, 256, 64), torch.randn(32, 64, 56, 56), torch.randn(128, 256, 128)
    few, inner = torch.randn(8, 128, 64), torch.randn(8, 64, 64)
    gathered, pixels = torch.randn(4096, 64), torch.randn(16, 3, 224, 224)
    tokens, ids = torch.randn(512, 512), torch.arange(4096) * 7919 % 100000
    octets, spectrum = torch.randint(0, 255, (16, 224, 224, 3), dtype=torch.uint8), torch.complex(torch.randn(64, 4096), torch.randn(64, 4096))
    half = torch.randn(256, 256) * 0.05
    positive = half @ half.T + torch.eye(256)
    precise = torch.randn(1024, 1024, dtype=torch.float64)
    volume, block = torch.randn(2, 16, 16, 32, 32), torch.randn(32, 16, 3, 3, 3) * 0.1
    signal, wide = torch.randn(16, 64, 4096), torch.randn(128, 64, 3) * 0.1
    points, others = torch.randn(1024, 64), torch.randn(1024, 64)
    bags = (ids[:, None] + torch.arange(16) * 6151) % 100000
    angle = torch.outer(torch.arange(256.0), 10000.0 ** (-torch.arange(0, 64, 2) / 64))
    sine, cosine = angle.sin().repeat(1, 2), angle.cos().repeat(1, 2)

    def rotary():
        return heads * cosine + torch.cat([-heads[..., 32:], heads[..., :32]], -1) * sine
    return forward(wrap({
        "embedding_bag": lambda: F.embedding_bag(bags, table, mode="sum"),
        "dropout": lambda: F.dropout(x),
        "rotary": rotary,
        "softmax_0": lambda: x.softmax(0),
        "argsort": lambda: x.argsort(1),
        "rows": lambda: table[ids],
        "resize": lambda: F.interpolate(image, scale_factor=2, mode="bilinear"),
        "small_products": lambda: small @ small,
        "cumsum_middle": lambda: cube.cumsum(1),
        "where": lambda: torch.where(x > 0.5, x, -1.0),
        "concat": lambda: torch.cat([x, x]),
        "roll": lambda: x.roll(3, 1),
        "one_hot": lambda: F.one_hot(ids % 1000, 1000).float(),
        "four_products": lambda: tokens @ tokens @ tokens @ tokens,
        "sort_0": lambda: x.sort(0)[0],
        "powers": lambda: x ** 3.0 + x.abs().log1p(),
        "transpose_add": lambda: x.T + x,
        "tril": lambda: x.tril(),
        "scatter_rows": lambda: torch.zeros(1000, 64).index_add(0, ids % 1000, gathered),
        "channels_last": lambda: pixels.permute(0, 2, 3, 1).contiguous(),
        "bytes_first": lambda: (octets.permute(0, 3, 1, 2).contiguous().float() / 255.0 - 0.45) / 0.225,
        "quantised": lambda: (x * 20.0).round().clamp(-128, 127).to(torch.int8),
        "fourier": lambda: torch.fft.fft(spectrum),
        "cholesky": lambda: torch.linalg.cholesky(positive),
        "conv3d": lambda: F.conv3d(volume, block, padding=1),
        "conv1d_strided": lambda: F.conv1d(signal, wide, stride=2, padding=1),
        "sin_f64": lambda: precise.sin(),
        "tanh_erf_f64": lambda: precise.tanh() + precise.erf(),
        "power_f64": lambda: precise.abs() ** 1.7,
        "remainder": lambda: torch.fmod(x, 0.7),
        "lgamma": lambda: torch.lgamma(x.abs() + 0.1),
        "gelu": lambda: F.gelu(x),
        "pairs_absolute": lambda: torch.cdist(points, others, p=1),
        "pairs_distances": lambda: torch.cdist(points, others),
        "pairs_exp": lambda: torch.exp(-0.01 * torch.cdist(points, others).square()),
        "pairs_least": lambda: (points[:, None, :] + others[None, :, :]).amin(2),
        "permutation": lambda: torch.randperm(100000),
        "three_operands": lambda: torch.einsum("hic,hcd,hjd->hij", few, inner, few),
    }[name]))


def linalg_matrices(what, kind, count, n, dtype):
    """As cases/linalg.pml makes them."""
    x, y = torch.randn(count, n, n, dtype=dtype), torch.randn(count, n, n, dtype=dtype)
    if kind in ("clusters", "graded"):
        i = torch.arange(n, dtype=dtype)
        values = 1 + (i * 5 / n).floor() + 1e-6 * x[0, 0] if kind == "clusters" else 10.0 ** (-6 * i / n)
        q = torch.linalg.qr(x)[0]
        made = (q * values) @ (q if what == "eigh" else torch.linalg.qr(y)[0]).mT
    elif kind == "covariance" or what in ("cholesky", "positive"):
        made = (x @ x.mT + y @ y.mT) / (2 * n)
    else:
        made = x
    return made + made.mT if what == "eigh" else made


def linalg(name, wrap):
    _, what, size, *rest = name.split("_")
    count, n = (int(v) for v in (size if "x" in size else "1x" + size).split("x"))
    dtype = torch.float64 if "f64" in rest else torch.float32
    kind = rest[0] if rest and rest[0] != "f64" else "random"
    a, b = linalg_matrices(what, kind, count, n, dtype), torch.randn(count, n, 8, dtype=dtype)
    return forward(wrap({
        "eigh": lambda: torch.linalg.eigh(a),
        "svd": lambda: torch.linalg.svd(a, full_matrices=False),
        "pinv": lambda: torch.linalg.pinv(a),
        "qr": lambda: torch.linalg.qr(a),
        "lu": lambda: torch.linalg.lu(a),
        "solve": lambda: torch.linalg.solve(a, b),
        "inverse": lambda: torch.linalg.inv(a),
        "det": lambda: torch.linalg.det(a),
        "cholesky": lambda: torch.linalg.cholesky(a),
        "positive": lambda: torch.cholesky_solve(b, torch.linalg.cholesky(a)),
        "triangular": lambda: torch.linalg.solve_triangular(a, b, upper=False),
        "lstsq": lambda: torch.linalg.lstsq(a, b),
        "power": lambda: torch.linalg.matrix_power(a, 10),
    }[what]))


def lstm(_name, wrap):
    model, x = nn.LSTM(256, 256, batch_first=True), torch.randn(16, 256, 256)
    return trained([torch.optim.SGD(model.parameters(), lr=0.01)], wrap(lambda: model(x)[1][0].square().mean()))


def attention(name, wrap):
    q, k, v = (torch.randn(1, 4, int(name.split("_")[1]), 64, requires_grad=True) for _ in range(3))
    sgd = torch.optim.SGD([q, k, v], lr=1e-3)
    return trained([sgd], wrap(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True).square().mean()))


def recommender_net():
    return nn.Sequential(nn.Linear(26 * 16 + 13, 256), nn.ReLU(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 1))


def recommender(name, wrap):
    sparse, adam = "sparse" in name, "adam" in name
    table = nn.Embedding(1000000, 16, sparse=sparse)
    net = recommender_net()
    ids, x, t = torch.randint(0, 1000000, (4, 2048, 26)), torch.rand(2048, 13), torch.randint(0, 2, (2048,)).float()
    if adam and sparse:
        optimizers = [torch.optim.SparseAdam(table.parameters(), lr=1e-3), torch.optim.Adam(net.parameters(), lr=1e-3, fused=True)]
    elif adam:
        optimizers = [torch.optim.Adam([*table.parameters(), *net.parameters()], lr=1e-3, fused=True)]
    else:
        optimizers = [torch.optim.SGD([*table.parameters(), *net.parameters()], lr=0.01)]
    count = {"i": 0}
    loss = wrap(lambda i: F.binary_cross_entropy_with_logits(net(torch.cat([table(i).flatten(1), x], 1)).flatten(), t))

    def objective():
        count["i"] += 1
        return loss(ids[count["i"] % 4])
    return trained(optimizers, objective)


def embedding(_name, wrap):
    table, ids = nn.Embedding(200000, 32, sparse=True), torch.randint(0, 200000, (64,))
    return trained([torch.optim.SGD(table.parameters(), lr=0.01)], wrap(lambda: table(ids).square().mean()))


def cross_entropy(_name, wrap):
    x, t = torch.randn(1024, 50257, requires_grad=True), torch.randint(0, 50257, (1024,))
    return trained([torch.optim.SGD([x], lr=1e-3)], wrap(lambda: F.cross_entropy(x, t)))


def product(name, wrap):
    if name == "product_i8":
        a, b = (torch.randint(-128, 128, (1024, 1024), dtype=torch.int8) for _ in range(2))
        return forward(wrap(lambda: torch._int_mm(a, b)))
    kind = torch.bfloat16 if name == "product_bf16" else torch.float32
    a, b = (torch.randn(1024, 1024).to(kind) for _ in range(2))
    return forward(wrap(lambda: a @ b))


def operator(name, wrap):
    n = 4096
    x = torch.randn(n, n, requires_grad=True)
    a, y = torch.ones(n, n), torch.zeros(n, n)
    scale, shift = torch.ones(n, requires_grad=True), torch.zeros(n, requires_grad=True)
    plain = {
        "axpy": lambda: 1.5 * a + x,
        "chain": lambda: a * x + y * (x - 0.5) * torch.relu(x + a),
        "transcendental": lambda: torch.tanh(x * 0.5) * torch.exp(-x * x) + torch.sigmoid(x),
        "transpose": lambda: x.t().contiguous(),
        "cumsum": lambda: torch.cumsum(x, -1),
        "cumsum_rows": lambda: torch.cumsum(x, 0),
        "top_10": lambda: torch.topk(x, 10, -1),
        "argmax": lambda: x.argmax(1),
        "sort": lambda: torch.sort(x, -1),
        "layernorm": lambda: F.layer_norm(x, (n,), scale, shift),
        "softmax": lambda: torch.softmax(x, -1),
        "column_sums": lambda: x.sum(0),
        "maximum": lambda: x.max(),
    }
    if name in plain:
        return forward(wrap(plain[name]))
    differentiated = {
        "layernorm_gradient": lambda: F.layer_norm(x, (n,), scale, shift),
        "softmax_gradient": lambda: torch.softmax(x, -1),
        "gelu_gradient": lambda: F.gelu(x, approximate="tanh"),
    }[name]
    params = [x, scale, shift] if name == "layernorm_gradient" else [x]
    return trained([torch.optim.SGD(params, lr=1e-3)], wrap(lambda: differentiated().square().mean()))


def network(name, wrap):
    model, loss, optimizer = NETWORKS[name]()
    return trained([optimizer(model.parameters())], wrap(lambda: loss(model)))


KINDS = {**dict.fromkeys(NETWORKS, network), "gpt2_decode": decode, "gpt": gpt, "gpt2": gpt, "mlp": mlp, "convnet": convnet, "convolution": convolution, "lstm": lstm, "linalg": linalg,
         "attention": attention, "recommender": recommender, "embedding": embedding, "cross_entropy": cross_entropy, "product": product}


def case(name, wrap):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    make = KINDS.get(name) or (windows if name.removesuffix("_gradient") in CONVOLUTIONS else reduction if name in REDUCTIONS else layer if name in LAYERS else None) or KINDS.get(name.split("_")[0], operator)
    return make(name, wrap)


def eager(name):
    return case(name, lambda function: function)


def compiled(name):
    return case(name, torch.compile)


VERSION = torch.__version__.split("+")[0]
