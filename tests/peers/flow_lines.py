"""The loops of flow_loops.py for each of several lines, by vmap: lines that make unequally many turns, take other arms, are split over ranks.
Derivatives outside of vmap, and inside of it."""
import jax
import jax.numpy as jnp

from beside import EVERYWHERE, case, drawn
from flow_loops import BODIES, FORMS, N, peer_of, text_of

ROWS = 4
ARGS = {"x": drawn(ROWS, N, 3), "from": drawn(ROWS, 3, seed=1), "w": drawn(3, 3, seed=2)}
SPLIT = {"x": "S(0)", "from": "S(0)"}


def lines(f):
    return lambda **args: jnp.stack([f(args["x"][i], args["from"][i], args["w"]) for i in range(ROWS)])


def slopes(f):
    s = lambda x, c, w: jnp.sum(f(x, c, w) ** 2)
    return lambda **args: jnp.stack([jax.grad(s, argnums=1)(args["x"][i], args["from"][i], args["w"]) for i in range(ROWS)])


# Each somewhere, in turns.
for turn, (form, name) in enumerate((form, name) for form in FORMS for name in BODIES if name != "all lines"):
    on, other = [EVERYWHERE[turn % 5]], [EVERYWHERE[(turn + 2) % 5]]
    text, f = text_of(form, name, "").replace("fn f(", "fn line("), peer_of(form, name)
    case(f"lines {form}: {name}", text + "fn f(x, from, w) { return vmap(line, over = (0, 1))(x, from, w); }\n", ARGS, lines(f), split=SPLIT, on=on)
    case(f"slopes {form}: {name}", text + "fn loss(x, from, w) { return finish(sum(square(line(x, from, w)))); }\n"
             "fn f(x, from, w) { return vmap(grad(loss, wrt = 1), over = (0, 1))(x, from, w); }\n", ARGS, slopes(f), split=SPLIT, order=1, on=other)
