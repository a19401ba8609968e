"""The networks of cases/networks/ in PyTorch: each function gives a module, its loss (a function of the module) and an optimizer
(a function of its parameters)."""
import torch
from torch import nn
from torch.nn import functional as F


def adam(**options):
    return lambda params: torch.optim.Adam(params, lr=1e-3, fused=True, **options)


def adamw(params):
    return torch.optim.AdamW(params, lr=1e-3, fused=True)


def momentum(params):
    return torch.optim.SGD(params, lr=0.01, momentum=0.9)


def classifier(model, x, t, optimizer):
    return model, lambda m: F.cross_entropy(m(x), t), optimizer


# ---- images


class NormedConv(nn.Sequential):
    def __init__(self, i, o, size, stride, pad):
        super().__init__(nn.Conv2d(i, o, size, stride, pad, bias=False), nn.BatchNorm2d(o))


class Residual(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.first, self.second = NormedConv(i, o, 3, stride, 1), NormedConv(o, o, 3, 1, 1)
        self.skip = NormedConv(i, o, 1, stride, 0) if i != o else nn.Identity()

    def forward(self, x):
        return F.relu(self.skip(x) + self.second(F.relu(self.first(x))))


def head(channels):
    return nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10)


def resnet():
    model = nn.Sequential(NormedConv(3, 64, 3, 1, 1), nn.ReLU(), Residual(64, 64, 1), Residual(64, 128, 2), Residual(128, 256, 2), *head(256))
    return classifier(model, torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,)), momentum)


def separable(i, o, stride):
    return (nn.Conv2d(i, i, 3, stride, 1, groups=i, bias=False), nn.BatchNorm2d(i), nn.ReLU6(),
            nn.Conv2d(i, o, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU6())


def mobilenet():
    model = nn.Sequential(nn.Conv2d(3, 32, 3, 1, 1, bias=False), nn.ReLU(), *separable(32, 64, 1), *separable(64, 128, 2),
                          *separable(128, 128, 1), *separable(128, 256, 2), *head(256))
    return classifier(model, torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,)), momentum)


def pair(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, 1, 1, bias=False), nn.GroupNorm(8, o), nn.ReLU(),
                         nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.GroupNorm(8, o), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.below, self.middle = pair(1, 16), pair(16, 32), pair(32, 64)
        self.up, self.above = nn.ConvTranspose2d(64, 32, 2, 2, bias=False), nn.ConvTranspose2d(32, 16, 2, 2, bias=False)
        self.joined, self.last, self.out = pair(64, 32), pair(32, 16), nn.Conv2d(16, 1, 1, bias=False)

    def forward(self, x):
        a = self.down(x)
        b = self.below(F.max_pool2d(a, 2))
        c = self.joined(torch.cat([self.up(self.middle(F.max_pool2d(b, 2))), b], 1))
        return self.out(self.last(torch.cat([self.above(c), a], 1)))


def unet():
    x, t = torch.randn(4, 1, 64, 64), (torch.randn(4, 1, 64, 64) > 0).float()
    return UNet(), lambda m: F.binary_cross_entropy_with_logits(m(x), t), adam()


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.mean, self.variance = nn.Linear(784, 400), nn.Linear(400, 20), nn.Linear(400, 20)
        self.hidden, self.out = nn.Linear(20, 400), nn.Linear(400, 784)

    def forward(self, x):
        h = F.relu(self.into(x))
        m, v = self.mean(h), self.variance(h)
        y = self.out(F.relu(self.hidden(m + torch.randn_like(m) * (0.5 * v).exp())))
        return (F.binary_cross_entropy_with_logits(y, x, reduction="sum") - 0.5 * (1 + v - m * m - v.exp()).sum()) / len(x)


def vae():
    x = torch.rand(128, 784)
    return Autoencoder(), lambda m: m(x), adam()


# ---- sequences


class Block(nn.Module):
    """Norms in front of attention and of the hidden layer, or behind them."""

    def __init__(self, width, heads, behind=False, dropout=0.0):
        super().__init__()
        self.heads, self.behind, self.dropout = heads, behind, dropout
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x, mask):
        n, t, d = x.shape
        q, k, v = (y.view(n, t, self.heads, -1).transpose(1, 2) for y in self.qkv(x).split(d, -1))
        return self.out(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(n, t, d))

    def forward(self, x, mask=None):
        if self.behind:
            x = self.first(x + F.dropout(self.attend(x, mask), self.dropout))
            return self.second(x + F.dropout(self.down(F.gelu(self.up(x))), self.dropout))
        x = x + self.attend(self.first(x), mask)
        return x + self.down(F.gelu(self.up(self.second(x))))


class Vit(nn.Module):
    def __init__(self, width=192):
        super().__init__()
        self.patch, self.positions = nn.Conv2d(3, width, 4, 4), nn.Parameter(torch.randn(64, width) * 0.02)
        self.blocks, self.norm, self.out = nn.Sequential(*(Block(width, 3) for _ in range(4))), nn.LayerNorm(width), nn.Linear(width, 100)

    def forward(self, x):
        return self.out(self.norm(self.blocks(self.patch(x).flatten(2).transpose(1, 2) + self.positions)).mean(1))


def vit():
    return classifier(Vit(), torch.randn(16, 3, 32, 32), torch.randint(0, 100, (16,)), adamw)


class Bert(nn.Module):
    def __init__(self, width=256, tokens=10000):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(tokens, width), nn.Parameter(torch.randn(128, width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, 4, behind=True, dropout=0.1) for _ in range(4))
        self.bias = nn.Parameter(torch.zeros(tokens))
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, ids, mask):
        h = F.dropout(self.tokens(ids) + self.positions, 0.1)
        for block in self.blocks:
            h = block(h, mask)
        return F.linear(h, self.tokens.weight, self.bias).flatten(0, 1)


def bert():
    ids, mask = torch.randint(0, 10000, (8, 128)), torch.rand(8, 1, 1, 128) < 0.9
    t = torch.where(torch.rand(8, 128) < 0.15, torch.randint(0, 10000, (8, 128)), -100).flatten()
    return Bert(), lambda m: F.cross_entropy(m(ids, mask), t), adamw


class LlamaBlock(nn.Module):
    def __init__(self, width, heads, groups, hidden):
        super().__init__()
        k = width // heads
        self.k, self.first, self.second = k, nn.RMSNorm(width), nn.RMSNorm(width)
        self.q, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.keys, self.values = nn.Linear(width, groups * k, bias=False), nn.Linear(width, groups * k, bias=False)
        self.gate, self.up, self.down = (nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False),
                                         nn.Linear(hidden, width, bias=False))

    def forward(self, x, cosines, sines):
        n, t, _ = x.shape
        a = self.first(x)
        q, k, v = (f(a).view(n, t, -1, self.k).transpose(1, 2) for f in (self.q, self.keys, self.values))

        def rotated(y):
            low, high = y.chunk(2, -1)
            return y * cosines + torch.cat([-high, low], -1) * sines

        o = F.scaled_dot_product_attention(rotated(q), rotated(k), v, is_causal=True, enable_gqa=True)
        x = x + self.out(o.transpose(1, 2).reshape(n, t, -1))
        b = self.second(x)
        return x + self.down(F.silu(self.gate(b)) * self.up(b))


class Llama(nn.Module):
    def __init__(self, width=512, heads=8, tokens=8000, room=256):
        super().__init__()
        k = width // heads
        self.tokens, self.norm, self.head = nn.Embedding(tokens, width), nn.RMSNorm(width), nn.Linear(width, tokens, bias=False)
        self.blocks = nn.ModuleList(LlamaBlock(width, heads, 2, 1376) for _ in range(4))
        angles = torch.arange(room)[:, None] / 10000 ** (torch.arange(0, k, 2) / k)
        self.cosines, self.sines = (torch.cat([f(angles)] * 2, -1) for f in (torch.cos, torch.sin))

    def forward(self, ids):
        h = self.tokens(ids)
        for block in self.blocks:
            h = block(h, self.cosines, self.sines)
        return self.head(self.norm(h)).flatten(0, 1)


def llama():
    ids = torch.randint(0, 8000, (4, 257))
    return classifier(Llama(), ids[:, :-1].contiguous(), ids[:, 1:].flatten(), adamw)


class Gru(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.words, self.gru, self.out = nn.Embedding(5000, width), nn.GRU(width, width, batch_first=True), nn.Linear(width, 2)

    def forward(self, x):
        return self.out(self.gru(self.words(x))[0][:, -1])


def gru():
    return classifier(Gru(), torch.randint(0, 5000, (32, 100)), torch.randint(0, 2, (32,)), adam())


class WaveNet(nn.Module):
    def __init__(self, channels=32, layers=8):
        super().__init__()
        one = [nn.Conv1d(channels, channels, 1, bias=False) for _ in range(2 * layers)]
        two = [nn.Conv1d(channels, channels, 2, dilation=2 ** (i // 2), bias=False) for i in range(2 * layers)]
        self.first, self.last = nn.Conv1d(1, channels, 1, bias=False), nn.Conv1d(channels, 256, 1, bias=False)
        self.one, self.two, self.layers = nn.ModuleList(one), nn.ModuleList(two), layers

    def forward(self, x):
        h, skipped = self.first(x), 0
        for i in range(self.layers):
            p = F.pad(h, (2 ** i, 0))
            y = torch.tanh(self.two[2 * i](p)) * torch.sigmoid(self.two[2 * i + 1](p))
            skipped, h = skipped + self.one[2 * i](y), h + self.one[2 * i + 1](y)
        return self.last(F.relu(skipped))


def wavenet():
    return classifier(WaveNet(), torch.randn(4, 1, 2048), torch.randint(0, 256, (4, 2048)), adam())


# ---- graphs


class GraphNet(nn.Module):
    def __init__(self, papers=2708, words=1433, citations=10556):
        super().__init__()
        self.papers = papers
        self.first, self.second = nn.Linear(words, 16, bias=False), nn.Linear(16, 7, bias=False)
        self.bias, self.bias_out = nn.Parameter(torch.zeros(16)), nn.Parameter(torch.zeros(7))
        self.source, self.target = torch.randint(0, papers, (2, citations))
        self.share = torch.rand(citations, 1)

    def spread(self, h):
        return torch.zeros(self.papers, h.shape[1]).index_add(0, self.target, h[self.source] * self.share)

    def forward(self, x):
        return self.spread(self.second(F.relu(self.spread(self.first(x)) + self.bias))) + self.bias_out


def graph():
    return classifier(GraphNet(), (torch.rand(2708, 1433) < 0.01).float(), torch.randint(0, 7, (2708,)), adam(weight_decay=5e-4))


NETWORKS = {f.__name__: f for f in (resnet, mobilenet, unet, vae, vit, bert, llama, gru, wavenet, graph)}
