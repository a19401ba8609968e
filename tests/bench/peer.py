"""One peer and one case, as a process that peers.py talks to: peer.py eager|compile|jax CASE

Prints a line of JSON when two steps are done: the version, seconds from start to the end of the first step. Then, for each
number N on a line of its input, does N steps and prints the least processor time of one, the median by the clock, both in ms, and the peak of resident memory so far in MB. A case
that the peer does not have is a line with `missing`."""
import json
import resource
import sys
import time

BEGAN = time.time()


def made(peer, name):
    if peer == "jax":
        import peer_jax
        return peer_jax.VERSION, peer_jax.case(name)
    import peer_torch
    return peer_torch.VERSION, (peer_torch.compiled if peer == "compile" else peer_torch.eager)(name)


def measured(step, count):
    clock, processor = [], []
    for _ in range(count):
        begin, used = time.perf_counter(), time.process_time()
        step()
        processor.append(time.process_time() - used)
        clock.append(time.perf_counter() - begin)
    return {"processor": min(processor) * 1e3, "median": sorted(clock)[count // 2] * 1e3,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def main():
    version, step = made(*sys.argv[1:3])
    if step is None:
        print(json.dumps({"missing": True}), flush=True)
        return
    step()
    first = time.time() - BEGAN
    step()
    print(json.dumps({"version": version, "first": round(first, 2)}), flush=True)
    for line in sys.stdin:
        print(json.dumps(measured(step, int(line))), flush=True)


main()
