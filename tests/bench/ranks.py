"""Steps of several ranks against torch.distributed (gloo) and JAX (devices of one process), f32, one thread a rank, by the clock.

    ranks.py BUILD_DIR [CASE…]      all cases if none is named

RANKS says how many (2); PYTHON, PEERS, ROUNDS, PMLC_OPTIONS and JSON are those of peers.py. Sides alternate. Printed are the least of the
rounds' medians, in ms, and what each peer takes of it: above 1 PML is faster. A machine that others use shows little: a rank that waits
for a core holds up all."""
import os
import re
import subprocess
import sys
import tempfile

import peers

HERE = peers.HERE
RANKS = int(os.environ.get("RANKS", "2"))
# case: source, constants (R: the ranks), steps a round
CASES = {
    "mlp_data": ("cases/mlp.pml", "N=R B=64*R", 100),
    "gpt_data": ("gpt.pml", peers.SMALL + " DP=R", 4),
    "gpt_tensor": ("gpt.pml", peers.SMALL + " TP=R", 4),
    "convnet_data": ("cases/convnet.pml", "N=R B=100*R", 10),
    "recommender_rows": ("cases/recommender.pml", "N=R", 10),
    "heat": ("cases/ranks/heat.pml", "N=R", 50),
    "transpose": ("cases/ranks/transpose.pml", "N=R", 20),
    "all_reduce_1kB": ("cases/ranks/all_reduce.pml", "N=R SIZE=256", 200),
    "all_reduce_4kB": ("cases/ranks/all_reduce.pml", "N=R SIZE=1024", 200),
    "all_reduce_64kB": ("cases/ranks/all_reduce.pml", "N=R SIZE=16384", 100),
    "all_reduce_1MB": ("cases/ranks/all_reduce.pml", "N=R SIZE=262144", 50),
    "all_reduce_16MB": ("cases/ranks/all_reduce.pml", "N=R SIZE=4194304", 10),
}


def all_reduce_size(case):
    return int(CASES[case][1].split("SIZE=")[1])


def compiled(build, case, folder):
    source, constants, _ = CASES[case]
    defines = [x for c in constants.replace("R", str(RANKS)).split() for x in ("-D", c)]
    out = os.path.join(folder, case)
    subprocess.run([os.path.join(build, "pmlc"), *peers.OPTIONS, *defines, os.path.join(HERE, source), "-o", out], check=True)
    return out


def own(program, steps):
    """A round of PML: the median by the clock of the region that is called most often."""
    command = [os.environ.get("MPIEXEC", "mpiexec"), "-n", str(RANKS), program, "--quiet", "--profile", "--steps=%d" % steps]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=peers.REGIONS)
    found = re.findall(r"(\d+) calls\s+median ([\d.e+-]+) ms", run.stdout)
    if run.returncode or not found:
        peers.fail("%s failed:\n%s" % (program, run.stdout))
    return {"median": max((int(n), float(m)) for n, m in found)[1]}


def duel(build, case, names, folder):
    """The least median of each side, sides alternating."""
    program, steps = compiled(build, case, folder), CASES[case][2]
    others = {n: p for n in names if (p := peers.Peer("peer_ranks.py", n, case, str(RANKS), cores=None)).version}
    rounds = {n: [] for n in ("PML", *others)}
    for _ in range(peers.ROUNDS):
        rounds["PML"].append(own(program, steps))
        for name, peer in others.items():
            if r := peer.round(steps):
                rounds[name].append(r)
    for peer in others.values():
        peer.end()
    return {name: {"median": round(min(x["median"] for x in r), 4)} for name, r in rounds.items() if r}


def main():
    if len(sys.argv) < 2:
        peers.fail("BUILD_DIR [CASE…]")
    with tempfile.TemporaryDirectory() as folder:
        peers.table(sys.argv[1], sys.argv[2:], CASES, "median", f"{RANKS} ranks, by the clock",
                    lambda case, names: duel(sys.argv[1], case, names, folder))


if __name__ == "__main__":
    main()
