// The network of examples/llama.pml against an independent one: writes what it computes, for reference.py and for llama.out.
//   small sizes by -D llama.D=16 ..., ranks by -D llama.grid=...
// Weights are drawn, and scattered so that everything matters, written under the usual names, changed, and read back; so what is computed went through the file. Gradients are
// written under the same names.
import llama;

config file  : path = "";                      /// weights to read; none: those drawn
config out   : path = "gradients.safetensors"; /// where the gradients go

const N : int = 3;
const T : int = 7;

fn tokens(shift: int) {
    return reshape(((iota(N * T) + shift) * 7 + floor_div(iota(N * T) + shift, 5)) % llama.V, [N, T]) as i32;
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
    let ids = tokens(0) to @llama.grid : (dp=S(0));
    let next = tokens(3) to @llama.grid : (dp=S(0));
    if file == "" {
        scatter_weights(grad(llama.objective)(ids, next));
        save("weights.safetensors", names = llama.hub);
    }
    llama.table = 0.0 * llama.table;
    llama.blocks[1].wk = 0.0 * llama.blocks[1].wk;
    load(if file == "" => "weights.safetensors" else file, names = llama.hub);
    let z = llama.logits(ids) to B;
    for i in 0..N { for t in 0..T { print(z[i, t, 0..10], z[i, t, 10..llama.V]); } }
    let (l, g) = value_and_grad(llama.objective)(ids, next);
    print("loss", l);
    each (p, d) in g {
        print("square", sum(d * d) to B);
        p = like(p, d);
    }
    save(out, names = llama.hub);
}
