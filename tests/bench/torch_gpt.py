"""The benchmark's transformers in PyTorch: GPT-2's architecture, tied embeddings, AdamW, one thread, f32.

usage: torch_gpt.py train|infer small|gpt2 BATCH TOKENS STEPS     prints the least processor milliseconds of a step
"""
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

LAYERS_WIDTH_HEADS_TOKENS = {"small": (4, 256, 4, 4096), "gpt2": (12, 768, 12, 50257)}
POSITIONS = 1024


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.register_buffer("seen", torch.tril(torch.ones(POSITIONS, POSITIONS, dtype=torch.bool)))

    def attend(self, x):
        n, t, d = x.shape
        q, k, v = (y.view(n, t, self.heads, -1).transpose(1, 2) for y in self.qkv(x).split(d, -1))
        if hasattr(F, "scaled_dot_product_attention"):
            o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            s = (q @ k.transpose(-1, -2)) * (d // self.heads) ** -0.5
            o = s.masked_fill(~self.seen[:t, :t], float("-inf")).softmax(-1) @ v
        return self.out(o.transpose(1, 2).reshape(n, t, d))

    def forward(self, x):
        x = x + self.attend(self.first(x))
        return x + self.down(F.gelu(self.up(self.second(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, layers, width, heads, tokens):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(tokens, width), nn.Embedding(POSITIONS, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.tokens.weight, std=0.02)
        nn.init.normal_(self.positions.weight, std=0.02)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        return F.linear(self.norm(self.blocks(x)), self.tokens.weight)


def main():
    what, name, batch, length, steps = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    torch.set_num_threads(1)
    model = Gpt(*LAYERS_WIDTH_HEADS_TOKENS[name])
    ids = torch.randint(0, LAYERS_WIDTH_HEADS_TOKENS[name][-1], (batch, length + 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    times = []
    for _ in range(steps + 1):
        begin = time.process_time()
        if what == "infer":
            with torch.inference_mode():
                model(ids[:, :-1])
        else:
            loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        times.append(time.process_time() - begin)
    print(f"{min(times[1:]) * 1e3:.2f}")


main()
