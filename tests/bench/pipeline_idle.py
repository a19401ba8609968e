# pipeline_idle.py TRACE: per cent of the time of a pipeline in which its ranks compute nothing, from a trace of
# --profile=TRACE of pipeline.pml.
#   clock    of the time from the first pass that computes to the last; a rank computes in its passes, but for its waits
#   replay   every pass takes the processor time that it took (median over steps), each rank does its passes in the order in
#            which it did them, and a pass begins when the rank's last one is done and the neighbour's message over the same
#            micro-batch has begun. What this leaves out is the time of messages.
# Of all steps the quarter is taken that took least, which others on the machine have disturbed least.
# Prints the median milliseconds of these steps, the share by the clock, by replay, the milliseconds of processor time of a
# forward and a backward pass and of one of gradients of weights (0: they are part of the backward pass) on ranks but the first, and
# the share of a backward pass after which its message begins; medians.
import bisect, collections, json, statistics, sys

WAYS = ("forward", "backward", "weights")


def read(path):
    passes, waits, regions, sends = (collections.defaultdict(list) for _ in range(4))
    for e in json.load(open(path))["traceEvents"]:
        if e["ph"] != "X":
            continue
        name = e["name"].split(" ")
        span = (e["ts"], e["ts"] + e["dur"])
        if name[0] in WAYS:
            passes[e["pid"]].append((*span, e["args"]["processor"], name[0], int(name[1])))
        elif name[0] == "wait":
            waits[e["pid"]].append(span)
        elif name[0] == "transfer" and e["args"]["bytes"] > 0:
            sends[e["pid"]].append(e["ts"])
        elif name[0] == "region" and e["name"].startswith("region main"):
            regions[e["pid"]].append(span)
    return passes, waits, regions, {rank: sorted(at) for rank, at in sends.items()}


def longest(passes):
    """Of a step each pass once: what a turn copies for one that is done in another is named after it, too."""
    found = {}
    for p in passes:
        if p[3:] not in found or found[p[3:]][2] < p[2]:
            found[p[3:]] = p
    return list(found.values())


def steps_of(passes, regions):
    """Per step and rank its passes; the first steps warm up."""
    per_rank = []
    for rank in sorted(passes):
        mine = [longest(p for p in passes[rank] if a <= p[0] < b) for a, b in regions[rank]]
        per_rank.append([m for m in mine if m])
    steps = list(zip(*per_rank))
    return steps[len(steps) // 10 :]


def computing(step_pass, waits):
    """The pass without the waits in it, as intervals."""
    at, end = step_pass[0], step_pass[1]
    for a, b in waits:
        if b <= at or a >= end:
            continue
        if a > at:
            yield at, a
        at = max(at, b)
    if at < end:
        yield at, end


def idle(busy, span, ranks):
    return 100 * (1 - busy / (span * ranks))


def least_disturbed(steps, waits):
    """The quarter of the steps that took least, as (time, share by the clock, step)."""
    found = []
    for n, step in enumerate(steps):
        work = [i for rank, mine in enumerate(step) for p in mine for i in computing(p, waits[rank])]
        span = max(b for _, b in work) - min(a for a, _ in work)
        found.append((span, idle(sum(b - a for a, b in work), span, len(step)), n))
    found = sorted(found)[: max(1, len(found) // 4)]
    return [(span, share, steps[n]) for span, share, n in found]


def message(p, waits, sends):
    """The share of a pass's computing before its message begins; 1 if it has none."""
    k = bisect.bisect_left(sends, p[0])
    if k == len(sends) or sends[k] >= p[1]:
        return 1.0
    work = list(computing(p, waits))
    return sum(min(b, sends[k]) - a for a, b in work if a < sends[k]) / sum(b - a for a, b in work)


def replay(steps, early):
    ranks = len(steps[0])
    order = [[p[3:] for p in sorted(steps[-1][rank])] for rank in range(ranks)]
    took = collections.defaultdict(list)
    for step in steps:
        for rank, mine in enumerate(step):
            for p in mine:
                took[rank, p[3], p[4]].append(p[2])
    took = {k: statistics.median(v) for k, v in took.items()}
    done, free, at = {}, [0.0] * ranks, [0] * ranks
    while any(at[r] < len(order[r]) for r in range(ranks)):
        before = list(at)
        for r in range(ranks):
            while at[r] < len(order[r]):
                way, micro = order[r][at[r]]
                needs = (r - 1, "forward", micro) if way == "forward" else (r + 1, "backward", micro)
                if way == "weights" and (r, "backward", micro) in took:
                    needs = (r, "backward", micro)
                if 0 <= needs[0] < ranks and needs not in done:
                    break
                start, length = max(free[r], done.get(needs, 0.0)), took[r, way, micro]
                free[r], done[r, way, micro] = start + length, start + length * (early if way == "backward" else 1)
                at[r] += 1
        if at == before:
            sys.exit("the passes of the trace wait for each other")
    return idle(sum(took.values()), max(free), ranks)


def main():
    passes, waits, regions, sends = read(sys.argv[1])
    steps = steps_of(passes, regions)
    if not steps:
        sys.exit("no passes in " + sys.argv[1])
    spans, shares, steps = zip(*least_disturbed(steps, waits))
    every = [(rank, p) for step in steps for rank, mine in enumerate(step) for p in mine]
    took = [statistics.median([p[2] for rank, p in every if p[3] == way and rank > 0] or [0.0]) / 1000 for way in WAYS]
    early = statistics.median(message(p, waits[rank], sends[rank]) for rank, p in every if rank > 0 and p[3] == "backward")
    found = [statistics.median(spans) / 1000, statistics.median(shares), replay(steps, early), *took, early]
    print("%.2f %.1f %.1f %.2f %.2f %.2f %.2f" % tuple(found))


main()
