#!/usr/bin/python3
"""What the examples gpt2.pml, llama.pml and minilm.pml should compute: logits or embeddings, loss and all gradients, by torch in double precision, from the same
.safetensors files with the names and shapes that published models have. Compares with what a run of NAME_check.pml left in FOLDER:
weights.safetensors, output, gradients.safetensors.

    /usr/bin/python3 reference.py gpt2|llama|minilm FOLDER

Prints the largest relative errors; fails above 1e-4. The format of the files is read here by hand."""
import json
import re
import struct
import sys
from pathlib import Path
import numpy as np
import torch
import torch.nn.functional as F

KINDS = {"F64": np.float64, "F32": np.float32, "F16": np.float16}


def read_file(path):
    raw = Path(path).read_bytes()
    (n,) = struct.unpack("<Q", raw[:8])
    out = {}
    for name, t in json.loads(raw[8 : 8 + n]).items():
        a, b = t["data_offsets"]
        data = raw[8 + n + a : 8 + n + b]
        if t["dtype"] == "BF16":
            wide = np.frombuffer(data, np.uint16).astype(np.uint32) << 16
            out[name] = wide.view(np.float32).reshape(t["shape"])
        else:
            out[name] = np.frombuffer(data, KINDS[t["dtype"]]).reshape(t["shape"])
    return out


def write_file(path, tensors, bf16=()):
    header, data = {}, b""
    for name, x in tensors.items():
        x = np.ascontiguousarray(x)
        if name in bf16:
            raw, kind = (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes(), "BF16"
        else:
            raw, kind = x.tobytes(), {v: k for k, v in KINDS.items()}[x.dtype.type]
        header[name] = {"dtype": kind, "shape": list(x.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def tokens(n, t, v, shift):
    i = np.arange(n * t) + shift
    return torch.tensor(((i * 7 + i // 5) % v).reshape(n, t))


def causal(q, k, v):
    t = q.shape[-2]
    s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return F.softmax(s.masked_fill(torch.ones(t, t).triu(1).bool(), -1e30), -1) @ v


def gpt2(w, ids, heads=4):
    def linear(x, name):  # weights as [in, out]
        return x @ w[name + ".weight"] + w[name + ".bias"]

    def norm(x, name):
        return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"])

    n, t = ids.shape
    x = w["wte.weight"][ids] + w["wpe.weight"][:t]
    for i in range(1 + max(int(k.split(".")[1]) for k in w if k.startswith("h."))):
        q, k, v = linear(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").split(x.shape[-1], -1)
        o = causal(*[z.reshape(n, t, heads, -1).transpose(1, 2) for z in (q, k, v)])
        x = x + linear(o.transpose(1, 2).reshape(n, t, -1), f"h.{i}.attn.c_proj")
        z = linear(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")
        z = 0.5 * z * (1 + torch.tanh((2 / np.pi) ** 0.5 * (z + 0.044715 * z**3)))
        x = x + linear(z, f"h.{i}.mlp.c_proj")
    return norm(x, "ln_f") @ w["wte.weight"].T


def llama(w, ids, width=4, base=10000.0, eps=1e-5):
    def linear(x, name):  # weights as [out, in]
        return x @ w[name + ".weight"].T

    def norm(x, name):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * w[name + ".weight"]

    def rotate(x):
        e, t = x.shape[-1], x.shape[-2]
        angle = torch.outer(torch.arange(t).double(), base ** (-torch.arange(0, e, 2).double() / e))
        angle = torch.cat([angle, angle], -1)
        return x * angle.cos() + torch.cat([-x[..., e // 2 :], x[..., : e // 2]], -1) * angle.sin()

    n, t = ids.shape
    x = w["model.embed_tokens.weight"][ids]
    for i in range(1 + max(int(k.split(".")[2]) for k in w if k.startswith("model.layers."))):
        a, m = f"model.layers.{i}.self_attn.", f"model.layers.{i}.mlp."
        z = norm(x, f"model.layers.{i}.input_layernorm")
        q, k, v = [linear(z, a + p).reshape(n, t, -1, width).transpose(1, 2) for p in ("q_proj", "k_proj", "v_proj")]
        group = q.shape[1] // k.shape[1]
        o = causal(rotate(q), rotate(k).repeat_interleave(group, 1), v.repeat_interleave(group, 1))
        x = x + linear(o.transpose(1, 2).reshape(n, t, -1), a + "o_proj")
        z = norm(x, f"model.layers.{i}.post_attention_layernorm")
        x = x + linear(F.silu(linear(z, m + "gate_proj")) * linear(z, m + "up_proj"), m + "down_proj")
    return linear(norm(x, "model.norm"), "lm_head")


def minilm(w, ids, heads=4):
    def linear(x, name):  # weights as [out, in]
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def norm(x, name):
        return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], 1e-12)

    (n, t), seen = ids.shape, ids != 0
    e = "embeddings."
    x = w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][:t] + w[e + "token_type_embeddings.weight"][0]
    x = norm(x, e + "LayerNorm")
    for i in range(1 + max(int(k.split(".")[2]) for k in w if k.startswith("encoder."))):
        layer = f"encoder.layer.{i}."
        q, k, v = [linear(x, layer + "attention.self." + p).reshape(n, t, heads, -1).transpose(1, 2) for p in ("query", "key", "value")]
        s = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).masked_fill(~seen[:, None, None], -1e30)
        o = (F.softmax(s, -1) @ v).transpose(1, 2).reshape(n, t, -1)
        x = norm(linear(o, layer + "attention.output.dense") + x, layer + "attention.output.LayerNorm")
        z = F.gelu(linear(x, layer + "intermediate.dense"))
        x = norm(linear(z, layer + "output.dense") + x, layer + "output.LayerNorm")
    return F.normalize((x * seen[..., None]).sum(1), dim=1)


def outcome(model, w):
    """What is compared, and the loss."""
    if model == "minilm":
        i = np.arange(21).reshape(3, 7)
        z = minilm(w, torch.tensor(np.where(i % 7 < 7 - 2 * (i // 7), (i * 7 + i // 5) % 18 + 1, 0)))
        return z, (z * torch.sin(torch.arange(z.numel()).double().reshape(z.shape))).sum()
    z = globals()[model](w, tokens(3, 7, 19, 0))
    return z, F.cross_entropy(z.reshape(-1, 19), tokens(3, 7, 19, 3).reshape(-1))


def numbers(text):
    return np.array([float(x) for x in re.findall(r"[-+]?\d\S*?(?=[\],\s])", text + " ")])


def error(got, wanted, least=1e-30):
    """The largest difference, relative to the largest of what is wanted, or `least` where that is larger."""
    return float(np.abs(got - wanted).max() / max(least, np.abs(wanted).max()))


def main(model, folder):
    folder = Path(folder)
    w = {k: torch.tensor(v.astype(np.float64), requires_grad=True) for k, v in read_file(folder / "weights.safetensors").items()}
    z, loss = outcome(model, w)
    loss.backward()
    lines = (folder / "output").read_text()
    logits, rest = lines.split("loss", 1)
    worst = {
        "values": error(numbers(logits), z.detach().numpy().reshape(-1)),
        "loss": error(numbers(rest)[:1], np.array([loss.item()])),
    }
    g = read_file(folder / "gradients.safetensors")
    assert sorted(g) == sorted(w), (sorted(g), sorted(w))
    largest = max(float(w[k].grad.abs().max()) for k in w)  # those of biases of keys are 0 but for rounding
    worst["gradients"] = max(error(g[k], w[k].grad.numpy(), 1e-3 * largest) for k in w)
    print(model, *["%s %.1e" % x for x in worst.items()])
    return 0 if max(worst.values()) < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
