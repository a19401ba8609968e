"""The benchmark's network in PyTorch: 784-512-512-10, relu, cross-entropy, SGD, 64 rows a process and step, one thread.

usage: torch_mlp.py [PROCESSES]     prints the median milliseconds a step and the seconds from start to the first step's end
"""
import os
import subprocess
import sys
import time

began = time.time() - float(os.environ.get("PEER_AGE", "0"))
import torch  # noqa: E402
from torch import distributed, nn  # noqa: E402

STEPS, WARM_UP, BATCH = 300, 20, 64


def network():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def measure(model):
    step = torch.optim.SGD(model.parameters(), lr=0.01)
    rows, classes = torch.rand(BATCH, 784), torch.randint(0, 10, (BATCH,))
    times, first = [], None
    for i in range(STEPS + WARM_UP):
        t = time.perf_counter()
        loss = nn.functional.cross_entropy(model(rows), classes)
        step.zero_grad(set_to_none=True)
        loss.backward()
        step.step()
        if i >= WARM_UP:
            times.append(time.perf_counter() - t)
        if first is None:
            first = time.time() - began
    return sorted(times)[len(times) // 2] * 1e3, first


def main():
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    torch.set_num_threads(1)
    if processes > 1 and "RANK" not in os.environ:
        env = dict(os.environ, MASTER_ADDR="127.0.0.1", MASTER_PORT="29611", WORLD_SIZE=str(processes), OMP_NUM_THREADS="1")
        jobs = [subprocess.Popen([sys.executable, *sys.argv], env=dict(env, RANK=str(r))) for r in range(processes)]
        sys.exit(max(job.wait() for job in jobs))
    model, rank = network(), int(os.environ.get("RANK", "0"))
    if processes > 1:
        distributed.init_process_group("gloo")
        model = nn.parallel.DistributedDataParallel(model)
    ms, first = measure(model)
    if rank == 0:
        print(f"{ms:.3f} {first:.3f}")


main()
