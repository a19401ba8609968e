// The network of examples/fashion.pml on drawn rows, in every layout: placements and layouts are constants, nothing else changes.
// The layouts tried are the lines of fashion.variants.
import std.loss;

config steps : int = 20;
config out : path = "weights.safetensors";

const N : int = 50;          // rows of a batch
const IN : int = 784;
const HIDDEN : int = 256;
const OUT : int = 10;

// Axes: d splits rows (data parallel, ZeRO), t columns (tensor parallel). An axis of one rank changes nothing.
place left  = ranks(0..1) as (d = 1, t = 1);
place right = left;

// Per axis: the weights as they are kept and as they are used, x, the hidden layer as the second layer takes it, and logits.
const W1D : layout = B;      const W1T : layout = B;      const U1D : layout = B;      const C1T : layout = B;
const W2D : layout = B;      const W2T : layout = B;      const U2D : layout = B;      const C2T : layout = B;
const XD  : layout = S(0);
const HD  : layout = S(0);   const HT  : layout = B;
const YD  : layout = S(0);   const YT  : layout = B;
// Gradients and with them the optimizer's states.
const GD  : layout = B;

param w1 : f32[IN, HIDDEN]  @ left  : (d=W1D, t=W1T) = normal(std = 0.05);
param c1 : f32[HIDDEN]      @ left  : (t=C1T)        = zeros();
param w2 : f32[HIDDEN, OUT] @ right : (d=W2D, t=W2T) = normal(std = 0.05);
param c2 : f32[OUT]         @ right : (t=C2T)        = zeros();

fn forward[n](x: f32[n, IN] @ left : (d=XD)) -> f32[n, OUT] @ right : (d=YD, t=YT) {
    let h = relu(x @ (w1 to (d=U1D, t=W1T)) + c1);
    let g = h to @right : (d=HD, t=HT);
    let y = g @ (w2 to (d=U2D, t=W2T));
    return (y to (d=YD, t=YT)) + c2;
}

fn objective[n](x: f32[n, IN] @ left : (d=XD), t: i32[n] @ right : (d=YD)) -> f32 @ right : B {
    return loss.cross_entropy(forward(x), t) to B;
}

fn like[l: layout](p: f32[..] : l, x: f32[..]) { return x to l; }

fn sgd(g: gradient, lr, momentum) {
    each (p, d) in g {
        state v : like d = zeros();
        v = momentum * v + d;
        p = like(p, p - lr * v);
    }
}

main {
    save("first.safetensors");
    let teacher = normal(rng(7), [IN, OUT]);
    for step in 0..steps {
        let x = uniform(rng(step % 4), [N, IN]) - 0.5;
        let t = argmax(x @ teacher);
        let (l, g) = value_and_grad(objective, grads: (d=GD))(x to @left : (d=XD), t to @right : (d=YD));
        sgd(g, lr = 0.1, momentum = 0.9);
        print(l);
    }
    save(out);
}
