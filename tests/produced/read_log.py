# read_log.py FILE: every line is JSON without a name twice; prints what was logged.
import json
import sys


def once(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


for line in open(sys.argv[1], encoding="utf-8"):
    r = json.loads(line, object_pairs_hook=once, parse_constant=lambda word: 1 / 0)
    if "done" in r:
        print("done")
    elif "text" in r:
        print(repr(r["text"]), r["turns"])
    else:
        print(r["step"], r["f64"], r["f32"], r["nan"], r["low"], r["high"], r["first"])
