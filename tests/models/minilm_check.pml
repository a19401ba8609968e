// The network of examples/minilm.pml against an independent one: writes what it computes, for reference.py and for minilm.out.
//   small sizes by -D minilm.D=16 ..., ranks by -D minilm.grid=...
// Weights are drawn, scattered, written under the usual names, changed and read back. The last tokens of some sentences are padding.
import minilm;

const N : int = 3;
const T : int = 7;

fn sentences() {
    let i = reshape(iota(N * T), [N, T]);
    return where(i % T < T - 2 * floor_div(i, T), (i * 7 + floor_div(i, 5)) % (minilm.V - 1) + 1, 0) as i32;
}

/// Some number that all of the embeddings matter for.
fn objective(ids: i32[N, T] @ minilm.grid : (dp=S(0))) -> f32 @ minilm.grid : B {
    return sum(minilm.embedded(ids) * sin(reshape(iota(N * minilm.D), [N, minilm.D]) as f32)) to B;
}

fn like[l: layout](p: f32[..] : l, d) { return d to l; }

fn scatter_weights(g: gradient) {
    var k = 0;
    each (p, d) in g {
        p = p + 0.3 * normal(rng(k), shape(p));
        k += 1;
    }
}

main {
    let ids = sentences() to @minilm.grid : (dp=S(0));
    scatter_weights(grad(objective)(ids));
    save("weights.safetensors", names = minilm.bert);
    minilm.tokens = 0.0 * minilm.tokens;
    minilm.blocks[1].v.w = 0.0 * minilm.blocks[1].v.w;
    load("weights.safetensors", names = minilm.bert);
    print(minilm.embedded(ids) to B);
    let (l, g) = value_and_grad(objective)(ids);
    print("loss", l);
    each (p, d) in g {
        print("square", sum(d * d) to B);
        p = like(p, d);
    }
    save("gradients.safetensors", names = minilm.bert);
}
