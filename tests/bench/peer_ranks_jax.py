"""The cases of ranks.py in JAX: each step is one jitted function over arrays that are split over the devices of this process, as its
guides do it; the compiler adds what is sent. The networks are those of peer_jax.py."""
import jax
import jax.numpy as np
import peer_jax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from ranks import all_reduce_size

VERSION = peer_jax.VERSION


def put(mesh, x, *split):
    return jax.device_put(x, NamedSharding(mesh, P(*split)))


def data_parallel(mesh, kept, rest):
    return jax.tree.map(lambda x: put(mesh, x), kept), [put(mesh, x, "r") for x in rest]


# How the weights of a transformer's layer are split (Megatron); all others are whole.
TENSOR = {"bqkv": ("r",), "o": ("r", None), "up": (None, "r"), "bu": ("r",), "down": ("r", None), "tokens": ("r", None), "qkv": (None, "r")}


def tensor_parallel(mesh, kept, rest):
    def named(path, x):
        names = [k.key for k in path if isinstance(k, jax.tree_util.DictKey)]
        return put(mesh, x, *TENSOR.get(names[-1] if names else "", ()))
    return jax.tree_util.tree_map_with_path(named, kept), [put(mesh, x) for x in rest]


def table_by_rows(mesh, kept, rest):
    def named(path, x):
        return put(mesh, x, "r") if path[-1].key == "table" else put(mesh, x)
    return jax.tree_util.tree_map_with_path(named, kept), [put(mesh, x, "r") for x in rest]


# Case: that of peer_jax.py, and how its arrays are placed.
NETWORKS = {"mlp_data": ("mlp_%d", data_parallel, 64), "gpt_data": ("gpt_small", data_parallel, 0),
            "gpt_tensor": ("gpt_small", tensor_parallel, 0), "convnet_data": ("convnet_%d", data_parallel, 100),
            "recommender_rows": ("recommender", table_by_rows, 0)}


def repeated(function, x):
    """A step whose result is what the next one reads."""
    run, cell = jax.jit(function, donate_argnums=0), [x]

    def step():
        cell[0] = run(cell[0])
        cell[0].block_until_ready()
    return step


def heat(mesh, _name):
    split = NamedSharding(mesh, P("r", None))

    def forward(u):
        v = np.pad(u, 1)
        v = u + 0.2 * (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4.0 * u)
        return jax.lax.with_sharding_constraint(v, split)
    return repeated(forward, put(mesh, peer_jax.uniform(1, 2048, 2048), "r", None))


def transpose(mesh, _name):
    split = NamedSharding(mesh, P("r", None))
    return repeated(lambda a: jax.lax.with_sharding_constraint(a.T, split), put(mesh, peer_jax.uniform(1, 2048, 2048), "r", None))


def all_reduce(mesh, name):
    a = put(mesh, peer_jax.uniform(1, mesh.size, all_reduce_size(name)), "r", None)
    run = jax.jit(lambda a: a.sum(0), out_shardings=NamedSharding(mesh, P()))
    return lambda: run(a).block_until_ready()


def case(name, ranks):
    mesh = Mesh(jax.devices()[:ranks], "r")
    if name in NETWORKS:
        network, place, each = NETWORKS[name]
        peer_jax.placed = lambda kept, rest: place(mesh, kept, rest)
        return peer_jax.case(network % (each * ranks) if each else network)
    kinds = {"heat": heat, "transpose": transpose, "all": all_reduce}
    make = kinds.get(name.split("_")[0])
    return make(mesh, name) if make else None
