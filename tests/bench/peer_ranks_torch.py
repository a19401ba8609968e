"""The cases of ranks.py in PyTorch over gloo, a process for each rank: DistributedDataParallel for what is split by rows of data, DTensor
for what is split inside a layer, and messages by hand where that is how it is done. The networks are those of peer_torch.py."""
import os

import peer_torch
import torch
from ranks import all_reduce_size
from torch import distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, PrepareModuleInput, RowwiseParallel, loss_parallel, parallelize_module
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

VERSION = peer_torch.VERSION
RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def longest(x):
    value = torch.tensor([float(x)], dtype=torch.float64)
    dist.all_reduce(value, op=dist.ReduceOp.MAX)
    return value.item()


def end():
    dist.destroy_process_group()


# ---- data parallel


def mlp(_name, wrap):
    model = DistributedDataParallel(peer_torch.mlp_model())
    x, t = torch.rand(64, 784), torch.randint(0, 10, (64,))
    run = wrap(model)
    return peer_torch.trained([torch.optim.SGD(model.parameters(), lr=0.01)], lambda: F.cross_entropy(run(x), t))


def convnet(_name, wrap):
    model = DistributedDataParallel(peer_torch.convnet_model())
    x, t = torch.rand(100, 1, 28, 28).contiguous(memory_format=torch.channels_last), torch.randint(0, 10, (100,))
    run = wrap(model)
    adam = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    return peer_torch.trained([adam], lambda: F.cross_entropy(run(x), t, label_smoothing=0.05))


def gpt_data(_name, wrap):
    layers, width, heads, tokens, n, t = peer_torch.GPT["gpt_small"]
    model = DistributedDataParallel(peer_torch.Gpt(layers, width, heads, tokens))
    ids = torch.randint(0, tokens, (n // WORLD, t + 1))
    rows, targets = ids[:, :-1].contiguous(), ids[:, 1:].flatten()
    run = wrap(model)
    adam = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    # The positions behind the last token have gradients too (of zeros), so every param takes part.
    return peer_torch.trained([adam], lambda: F.cross_entropy(run(rows).flatten(0, 1), targets))


# ---- tensor parallel


class SplitBlock(nn.Module):
    """A layer whose heads and inner columns are split; q, k and v have weights of their own, so that each splits by heads."""

    def __init__(self, width, heads):
        super().__init__()
        self.own = heads // WORLD
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        n, t, _ = x.shape
        y = self.first(x)
        q, k, v = (f(y).view(n, t, self.own, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, t, -1))
        return x + self.down(F.gelu(self.up(self.second(x)), approximate="tanh"))


class SplitGpt(nn.Module):
    def __init__(self, layers, width, heads, tokens):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(tokens, width), nn.Embedding(peer_torch.POSITIONS, width)
        self.blocks = nn.ModuleList(SplitBlock(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, tokens, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def gpt_tensor(_name, wrap):
    layers, width, heads, tokens, n, t = peer_torch.GPT["gpt_small"]
    mesh = init_device_mesh("cpu", (WORLD,))
    model = SplitGpt(layers, width, heads, tokens)
    for block in model.blocks:
        parallelize_module(block, mesh, {**{name: ColwiseParallel() for name in ("q", "k", "v", "up")},
                                         **{name: RowwiseParallel() for name in ("out", "down")}})
    parallelize_module(model, mesh, {"tokens": RowwiseParallel(input_layouts=Replicate()),
                                     "head": ColwiseParallel(use_local_output=False)})
    ids = torch.randint(0, tokens, (n, t + 1))
    rows, targets = ids[:, :-1].contiguous(), ids[:, 1:].flatten()
    split = [p for p in model.parameters() if isinstance(p, torch.distributed.tensor.DTensor)]
    whole = [p for p in model.parameters() if not isinstance(p, torch.distributed.tensor.DTensor)]
    adams = [torch.optim.AdamW(params, lr=1e-4, foreach=True) for params in (split, whole)]
    run = wrap(model)

    def step():
        with loss_parallel():
            loss = F.cross_entropy(run(rows).flatten(0, 1), targets)
            for adam in adams:
                adam.zero_grad(set_to_none=True)
            loss.backward()
        for adam in adams:
            adam.step()
    return step


def recommender(_name, wrap):
    mesh = init_device_mesh("cpu", (WORLD,))
    table = parallelize_module(nn.Embedding(1000000, 16), mesh, RowwiseParallel(input_layouts=Shard(0), output_layouts=Shard(0)))
    net = DistributedDataParallel(peer_torch.recommender_net())
    n = 2048 // WORLD
    ids, x, t = torch.randint(0, 1000000, (4, n, 26)), torch.rand(n, 13), torch.randint(0, 2, (n,)).float()
    run, count = wrap(net), {"i": 0}
    optimizers = [torch.optim.SGD(table.parameters(), lr=0.01), torch.optim.SGD(net.parameters(), lr=0.01)]

    def objective():
        count["i"] += 1
        return F.binary_cross_entropy_with_logits(run(torch.cat([table(ids[count["i"] % 4]).flatten(1), x], 1)).flatten(), t)
    return peer_torch.trained(optimizers, objective)


# ---- messages by hand


def heat(_name, wrap):
    rows = 2048 // WORLD
    cell = {"u": torch.rand(rows, 2048)}
    above, below = torch.zeros(1, 2048), torch.zeros(1, 2048)

    def forward(u, above, below):
        v = F.pad(torch.cat([above, u, below]), (1, 1))
        return u + 0.2 * (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4.0 * u)
    run = wrap(forward)

    def step():
        u, waits = cell["u"], []
        if RANK > 0:
            waits += [dist.isend(u[:1].contiguous(), RANK - 1), dist.irecv(above, RANK - 1)]
        if RANK + 1 < WORLD:
            waits += [dist.irecv(below, RANK + 1), dist.isend(u[-1:].contiguous(), RANK + 1)]
        for w in waits:
            w.wait()
        with torch.no_grad():
            cell["u"] = run(u, above, below)
    return step


def transpose(_name, _wrap):
    rows = 2048 // WORLD
    cell = {"a": torch.rand(rows, 2048)}

    def step():
        parts = cell["a"].view(rows, WORLD, rows).permute(1, 2, 0).contiguous()   # for each rank the transpose of its columns
        come = torch.empty_like(parts)
        dist.all_to_all_single(come, parts)
        cell["a"] = come.permute(1, 0, 2).reshape(rows, 2048)
    return step


def all_reduce(name, _wrap):
    size = all_reduce_size(name)
    a, b = torch.rand(size), torch.empty(size)

    def step():
        b.copy_(a)   # the part stays what it is, as on the other sides
        dist.all_reduce(b)
    return step


KINDS = {"mlp_data": mlp, "convnet_data": convnet, "gpt_data": gpt_data, "gpt_tensor": gpt_tensor, "recommender_rows": recommender,
         "heat": heat, "transpose": transpose}


def case(name, peer):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if peer == "compile" and name.startswith(("all_reduce", "transpose")):
        return None
    dist.init_process_group("gloo")
    return KINDS.get(name, all_reduce)(name, torch.compile if peer == "compile" else lambda f: f)
