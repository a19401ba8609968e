"""Training steps, inference and operators against whatever peers are installed: PyTorch (eager, compile) and JAX, f32 and one core on
both sides.

    peers.py BUILD_DIR [CASE…]      all cases if none is named; `make bench` runs it

PYTHON names the interpreter that has torch or jax (else the one that runs this), PEERS which of "eager compile jax", ROUNDS how often the
sides alternate, CORE the core, PMLC_OPTIONS what else pmlc is told (`--target-cpu=x86-64-v3`; the peers are then held to AVX2 as far as
they can be told), JSON a file that gets a line for each case (BUILD_DIR/bench.jsonl). Printed are the least processor time of a step and
what the best peer takes of it: above 1 PML is faster."""
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.environ.get("PEERS", "eager compile jax").split()
ROUNDS = int(os.environ.get("ROUNDS", "3"))
PYTHON = os.environ.get("PYTHON", sys.executable)
CORE = os.environ.get("CORE", "0")
OPTIONS = os.environ.get("PMLC_OPTIONS", "").split()
NARROW = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2",
          "XLA_FLAGS": "--xla_cpu_max_isa=AVX2"}

SMALL = "D=256 H=4 L=4 V=4096 B=8 T=128"
# The clock is read around regions, not around each step of loops in them
REGIONS = dict(os.environ, PMLRT_STEP_CLOCKS="0")
# operators.pml: the place in this list is OP; "" stands for what has no peer
OPERATORS = ["", "transpose", "", "cumsum", "cumsum_rows", "", "top_10", "argmax", "sort", "layernorm", "layernorm_gradient", "softmax",
             "softmax_gradient", "gelu_gradient", "axpy", "chain", "transcendental", "column_sums", "maximum"]
# Constants of cases/convolution.pml; convolution_NAME is forward, convolution_NAME_gradient with both gradients
CONVOLUTIONS = {
    "convolution_plain": "C=64 O=64 H=56",
    "convolution_strided": "C=64 O=128 H=56 S=2",
    "convolution_depthwise": "C=64 O=64 G=64 H=56",
    "convolution_depthwise_strided": "C=64 O=64 G=64 H=56 S=2",
    "convolution_grouped": "C=128 O=128 G=8 H=28",
    "convolution_wide": "C=256 O=256 H=14",
    "convolution_stem": "N=4 C=3 O=64 H=224 P=7 S=2",
    "convolution_pointwise": "C=64 O=128 H=56 P=1 S=2",
}
# reductions.pml: the place in this list is OP
REDUCTIONS = ["sum_0", "sum_1", "sum_01", "sum_02", "sum_12", "max_1", "channel_mean", "groupnorm", "groupnorm_gradient", "squares_1"]
# layers.pml: the place in this list is OP
LAYERS = ["max_pool_gradient", "avg_pool_gradient", "instancenorm_gradient", "embedding_bag", "dropout", "rotary", "swiglu_gradient", "softmax_0",
          "argsort", "rows", "smoothed_cross_entropy_gradient", "conv1d_gradient", "resize", "small_products", "cumsum_middle", "where", "concat",
          "roll", "small_attention_gradient", "one_hot", "four_products", "sort_0", "powers", "transpose_add", "tril", "three_operands", "scatter_rows", "channels_last",
          "bytes_first", "quantised", "fourier", "cholesky", "conv3d", "conv1d_strided", "sin_f64", "tanh_erf_f64",
          "power_f64", "remainder", "lgamma", "gelu", "pairs_absolute", "pairs_distances", "pairs_exp", "pairs_least",
          "permutation"]
# cases/networks/NAME.pml: whole networks, a step of training, in PyTorch as well (torch_networks.py)
NETWORKS = ["resnet", "mobilenet", "unet", "vae", "vit", "bert", "llama", "gru", "wavenet", "graph"]
# cases/linalg.pml: the place in this list is OP; linalg_WHAT_SIZE, or COUNTxSIZE, then the kind of matrix if it is not random, then f64
LINALG = ["eigh", "svd", "pinv", "qr", "lu", "solve", "inverse", "det", "cholesky", "positive", "triangular", "lstsq", "power"]
LINALG_KINDS = ["random", "covariance", "clusters", "graded"]
LINALG_SIZES = {"16": (1, 16, 2000), "64x32": (64, 32, 30), "128": (1, 128, 150), "512": (1, 512, 10)}


def linalg_cases():
    cases = {}
    for op, what in enumerate(LINALG):
        for size, (batch, n, steps) in LINALG_SIZES.items():
            for kind, word in enumerate(LINALG_KINDS if what in ("eigh", "svd") and n >= 128 else ["random"]):
                for double in ("", "_f64") if kind == 0 else ("",):
                    name = "_".join(["linalg", what, size] + ([word] if kind else [])) + double
                    constants = "OP=%d BATCH=%d N=%d KIND=%d%s" % (op, batch, n, kind, " T=f64" if double else "")
                    cases[name] = ("cases/linalg.pml", constants, steps if what in ("eigh", "svd", "pinv") else 10 * steps)
    return cases


# case: source, constants, steps a round: two at least, since the first of a program touches its memory for the first time
CASES = {
    "mlp_64": ("cases/mlp.pml", "", 100),
    "mlp_1024": ("cases/mlp.pml", "B=1024", 20),
    "gpt_small": ("gpt.pml", SMALL, 4),
    "gpt2": ("gpt.pml", "", 3),
    "gpt2_long": ("gpt.pml", "T=512", 2),
    "gpt2_inference": ("gpt.pml", "B=1 INFER=1", 5),
    "gpt2_decode": ("cases/decode.pml", "", 20),
    "convnet": ("cases/convnet.pml", "", 10),
    "convolution": ("cases/convolution.pml", "", 20),
    "convolution_transposed": ("cases/convolution.pml", "TRANSPOSED=true", 20),
    **{name + way: ("cases/convolution.pml", constants + (" TRAINED=true" if way else ""), 4)
       for name, constants in CONVOLUTIONS.items() for way in ("", "_gradient")},
    **{name: ("cases/reductions.pml", "OP=%d" % i, 10) for i, name in enumerate(REDUCTIONS)},
    **{name: ("cases/layers.pml", "OP=%d" % i, 6) for i, name in enumerate(LAYERS)},
    **linalg_cases(),
    **{name: (f"cases/networks/{name}.pml", "", 4) for name in NETWORKS},
    "lstm": ("cases/lstm.pml", "", 4),
    "attention_2048": ("cases/attention.pml", "", 4),
    "recommender": ("cases/recommender.pml", "", 10),
    "recommender_sparse": ("cases/recommender.pml", "", 10),
    "recommender_adam": ("cases/recommender.pml", "ADAM=true", 5),
    "recommender_adam_sparse": ("cases/recommender.pml", "ADAM=true", 5),
    "embedding": ("cases/embedding.pml", "", 100),
    "cross_entropy": ("cases/cross_entropy.pml", "", 4),
    "product_f32": ("cases/product.pml", "", 10),
    "product_bf16": ("cases/product.pml", "HALF=true", 10),
    "product_i8": ("cases/product_bytes.pml", "", 20),
    **{name: ("operators.pml", "OP=%d" % i, 4) for i, name in enumerate(OPERATORS) if name},
}


def fail(message):
    sys.exit("peers.py: " + message)


def compiled(build, case, folder):
    source, constants, _ = CASES[case]
    out = os.path.join(folder, case)
    defines = [x for c in constants.split() for x in ("-D", c)]
    subprocess.run([os.path.join(build, "pmlc"), *OPTIONS, *defines, os.path.join(HERE, source), "-o", out], check=True)
    return out


# Of these a step is several regions and what the host does between them: taken together, of a run with so many steps more.
WHOLE = ("cases/linalg.pml",)


def used(program, steps):
    command = ["taskset", "-c", CORE, program, "--quiet", "--steps=%d" % steps]
    begin = time.perf_counter()
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=REGIONS)
    _, status, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        fail("%s failed" % program)
    return {"processor": (usage.ru_utime + usage.ru_stime) * 1e3, "median": (time.perf_counter() - begin) * 1e3,
            "memory": usage.ru_maxrss / 1024}


def own_whole(program, steps):
    """A round of PML: the mean of so many steps, start and end left out."""
    few, many = [least([used(program, n) for _ in range(2)]) for n in (2, steps + 2)]
    return {"processor": (many["processor"] - few["processor"]) / steps, "median": (many["median"] - few["median"]) / steps,
            "memory": many["memory"]}


def own(program, steps):
    """A round of PML: of the regions the longest one that is called most often."""
    command = ["taskset", "-c", CORE, program, "--quiet", "--profile", "--steps=%d" % steps]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=REGIONS)
    text = run.stdout.read()
    _, status, usage = os.wait4(run.pid, 0)
    found = re.findall(r"(\d+) calls.*?median ([\d.e+-]+).*?processor ([\d.e+-]+) ms", text)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode or not found:
        fail("%s failed:\n%s" % (program, text))
    _, processor, median = max((int(n), float(p), float(m)) for n, m, p in found)
    return {"processor": processor, "median": median, "memory": usage.ru_maxrss / 1024}


class Peer:
    """A process of `script` of this folder with its arguments; `version` is None where the case or the peer is missing."""

    def __init__(self, script, *arguments, cores=CORE):
        env = dict(os.environ, OMP_NUM_THREADS="1", JAX_PLATFORMS="cpu", **(NARROW if OPTIONS else {}))
        command = [*(["taskset", "-c", cores] if cores else []), PYTHON, os.path.join(HERE, script), *arguments]
        self.run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
        line = self.run.stdout.readline()
        self.about = json.loads(line) if line.startswith("{") else {"missing": True}
        self.version = self.about.get("version")

    def round(self, steps):
        self.run.stdin.write("%d\n" % steps)
        self.run.stdin.flush()
        line = self.run.stdout.readline()
        return json.loads(line) if line else None

    def end(self):
        self.run.stdin.close()
        self.run.wait()


def least(rounds):
    return {"processor": round(min(r["processor"] for r in rounds), 4), "median": round(min(r["median"] for r in rounds), 4),
            "memory": round(max(r["memory"] for r in rounds))}


def duel(build, case, names, folder):
    """Least figures of each side, sides alternating."""
    program, steps = compiled(build, case, folder), CASES[case][2]
    measured = own_whole if CASES[case][0] in WHOLE else own
    peers = {n: p for n in names if (p := Peer("peer.py", n, case)).version}
    rounds = {n: [] for n in ("PML", *peers)}
    for _ in range(ROUNDS):
        rounds["PML"].append(measured(program, steps))
        for name, peer in peers.items():
            if r := peer.round(steps):
                rounds[name].append(r)
    for peer in peers.values():
        peer.end()
    begin = time.perf_counter()
    used(program, 1)
    first = {"PML": round(time.perf_counter() - begin, 3), **{name: peer.about["first"] for name, peer in peers.items()}}
    return {name: least(r) | {"first": first[name]} for name, r in rounds.items() if r}


def installed():
    """Peers that can be imported, with their versions."""
    found = {}
    for module, names in (("torch", ("eager", "compile")), ("jax", ("jax",))):
        wanted = [n for n in names if n in PEERS]
        run = subprocess.run([PYTHON, "-c", f"import {module}; print({module}.__version__)"], capture_output=True, text=True, check=False)
        if wanted and run.returncode == 0:
            found.update({n: f"{'PyTorch' if module == 'torch' else 'JAX'} {run.stdout.split()[-1].split('+')[0]}" for n in wanted})
    return found


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    field = dict(re.findall(r"^(model name|flags|cache size)\s*:\s*(.*)$", text, re.M))
    flags = [f for f in field.get("flags", "").split() if re.match(r"avx|amx|fma|f16c", f)]
    return {"processor": field.get("model name", platform.machine()), "cores": os.cpu_count(), "features": " ".join(flags),
            "load": os.getloadavg()[0]}


def line_of(case, sides, figure):
    ours = sides["PML"][figure]
    ratios = {n: s[figure] / ours for n, s in sides.items() if n != "PML"}
    text = "  ".join(f"{n} {sides[n][figure]:9.3f} ({r:5.2f})" for n, r in ratios.items())
    return f"{case:<24} PML {ours:9.3f} ms  {text}" + (f"   against the best {min(ratios.values()):.2f}" if ratios else "")


def table(build, wanted, cases, figure, how, sides_of):
    """A line for each case that is wanted, on the terminal and, of JSON, in a file. sides_of(case, peers) measures; `figure` is compared."""
    if unknown := [c for c in wanted if c not in cases]:
        fail("no case `%s`; there are %s" % (unknown[0], " ".join(cases)))
    about = machine()
    about["pmlc"] = subprocess.run([os.path.join(build, "pmlc"), "--version"], capture_output=True, text=True, check=True).stdout.strip()
    about["options"] = " ".join(OPTIONS)
    about["peers"] = installed()
    print(f"{about['processor']}, {how}; {about['pmlc']} {about['options']}")
    print("peers: " + (", ".join(f"{v} ({n})" for n, v in about["peers"].items()) or f"none ({PYTHON} has neither torch nor jax)"), flush=True)
    with open(os.environ.get("JSON", os.path.join(build, "bench.jsonl")), "a", encoding="utf-8") as out:
        for case in wanted or cases:
            sides = sides_of(case, about["peers"])
            print(line_of(case, sides, figure), flush=True)
            out.write(json.dumps({"case": case, "how": how, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "sides": sides,
                                  "machine": about}) + "\n")
            out.flush()


def main():
    if len(sys.argv) < 2:
        fail("BUILD_DIR [CASE…]")
    with tempfile.TemporaryDirectory() as folder:
        table(sys.argv[1], sys.argv[2:], CASES, "processor", "one core", lambda case, names: duel(sys.argv[1], case, names, folder))


if __name__ == "__main__":
    main()
