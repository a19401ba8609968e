// Structs of the library and of the program whose placement is left out are where params without one are.
//% fold 1
import std.nn;
struct Conv[i, o, p: place] { k : f32[o, i, 3, 3] @ p = nn.he(), scale : f32[o] @ p = ones(), shift : f32[o] @ p = zeros() }
struct Two[c, p: place, q: place] { a : Conv[1, c, p], b : Conv[c, 2, q] }
param two : Two[3];
state seen : [2] nn.Seen[3];

fn normed(x, training: bool) {
    let y = nn.batchnorm(conv2d(x, two.a.k, pad = 1), two.a.scale, two.a.shift, seen[0], training = training);
    return mean(square(conv2d(relu(y), two.b.k, pad = 1)));
}
main {
    let x = normal(rng(1), [4, 1, 5, 5]);
    for i in 0..3 {
        let (l, g) = value_and_grad(normed)(x, true);
        each (p, d) in g { p -= 0.1 * d; }
        print(l < 20.0);
    }
    print(sum(abs(seen[0].mean)) > 0.0, sum(seen[1].variance), normed(x, false) < 20.0);
}
