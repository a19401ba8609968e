"""One peer on several ranks and one case, as a process that ranks.py talks to: peer_ranks.py eager|compile|jax CASE RANKS

As peer.py, but what is printed is the median of a step by the clock, of the rank that took longest. PyTorch has a process for each rank,
which stays on one core; JAX has the devices in one process."""
import json
import os
import subprocess
import sys
import time


def median(step, count):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    return sorted(times)[count // 2] * 1e3


def answer(version, step, longest):
    """`longest` brings a number to the first rank and gives the largest; None there ends the others."""
    if version:
        for _ in range(2):
            step()
        print(json.dumps({"version": version}), flush=True)
        for line in sys.stdin:
            count = int(longest(int(line)))
            print(json.dumps({"median": longest(median(step, count))}), flush=True)
        longest(0)
        return
    for _ in range(2):
        step()
    while count := int(longest(0)):
        longest(median(step, count))


def run_torch(peer, case, ranks):
    if "RANK" not in os.environ:
        env = dict(os.environ, MASTER_ADDR="127.0.0.1", MASTER_PORT=str(20000 + os.getpid() % 20000), WORLD_SIZE=str(ranks))
        jobs = [subprocess.Popen([sys.executable, *sys.argv], env=dict(env, RANK=str(r)), stdin=None if r == 0 else subprocess.DEVNULL)
                for r in range(ranks)]
        sys.exit(max(job.wait() for job in jobs))
    rank = int(os.environ["RANK"])
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[rank % len(cores)]})
    import peer_ranks_torch
    step = peer_ranks_torch.case(case, peer)
    if step is None:
        if rank == 0:
            print(json.dumps({"missing": True}), flush=True)
        return
    answer(peer_ranks_torch.VERSION if rank == 0 else None, step, peer_ranks_torch.longest)
    peer_ranks_torch.end()


def run_jax(case, ranks):
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={ranks}"
    import peer_ranks_jax
    step = peer_ranks_jax.case(case, ranks)
    if step is None:
        print(json.dumps({"missing": True}), flush=True)
        return
    answer(peer_ranks_jax.VERSION, step, lambda x: x)


def main():
    peer, case, ranks = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if peer == "jax":
        run_jax(case, ranks)
    else:
        run_torch(peer, case, ranks)


main()
