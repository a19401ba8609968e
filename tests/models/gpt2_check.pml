// The network of examples/gpt2.pml against an independent one: writes what it computes, for reference.py and for gpt2.out.
//   small sizes by -D gpt2.D=16 ..., ranks by -D gpt2.grid=...
// Weights are drawn, and scattered so that everything matters, written under the usual names, changed, and read back; so what is computed went through the file. Gradients are
// written under the same names.
import gpt2;

config file  : path = "";                      /// weights to read; none: those drawn
config out   : path = "gradients.safetensors"; /// where the gradients go

const N : int = 3;
const T : int = 7;

fn tokens(shift: int) {
    return reshape(((iota(N * T) + shift) * 7 + floor_div(iota(N * T) + shift, 5)) % gpt2.V, [N, T]) as i32;
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
    let ids = tokens(0) to @gpt2.grid : (dp=S(0));
    let next = tokens(3) to @gpt2.grid : (dp=S(0));
    if file == "" {
        scatter_weights(grad(gpt2.objective)(ids, next));
        save("weights.safetensors", names = gpt2.gpt2);
    }
    gpt2.wte = 0.0 * gpt2.wte;
    gpt2.blocks[1].wqkv = 0.0 * gpt2.blocks[1].wqkv;
    load(if file == "" => "weights.safetensors" else file, names = gpt2.gpt2);
    let z = gpt2.logits(ids) to B;
    for i in 0..N { for t in 0..T { print(z[i, t, 0..10], z[i, t, 10..gpt2.V]); } }
    let (l, g) = value_and_grad(gpt2.objective)(ids, next);
    print("loss", l);
    each (p, d) in g {
        print("square", sum(d * d) to B);
        p = like(p, d);
    }
    save(out, names = gpt2.gpt2);
}
