// Four equal stages and eight micro-batches: tools/pictures.sh draws the order that the compiler chose.
const M : int = 8;
place line = ranks(0..4) as (pp = 4);

param layers : [s in 0..4] f32[256, 256] @ line[pp = s] = normal(std = 0.05);

fn objective[n](x: f32[n, 256] @ line[pp = 0]) {
    var h = x;
    for s in 0..4 { h = tanh((h to @line[pp = s]) @ layers[s]); }
    return mean(h * h);
}

main {
    let x = normal(rng(1), [256, 256]);
    let (l, g) = microbatch(M) { value_and_grad(objective)(x to @line[pp = 0]) };
    each (p, d) in g { p -= 0.1 * d; }
    print(l);
}
