// Structs of params, arrays of them, structs with sizes and placements; gradients by field.
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);
struct Layer[n, m, q: place] { w : f32[n, m] @ q = full(0.5), b : f32[m] @ q = zeros() }
struct Block[q: place] { w : f32[4, 4] @ q : S(1) = full(0.1), c : f32[4] @ q = ones() }
param first : Layer[4, 4, p];
param many : [3] Block[p];
param last : Layer[4, 2, p];
state seen : Layer[1, 2, p];

fn forward[n](x: f32[n, 4]) {
    var y = x @ first.w + first.b;
    for i in 0..3 { y = (y @ many[i].w to B) + many[i].c; }
    return y @ last.w + last.b;
}
fn loss[n](x: f32[n, 4]) { return sum(forward(x)) to B; }

main {
    let x = reshape(iota(8) as f32, [2, 4]) to @p : B;
    print(forward(x));
    let (l, g) = value_and_grad(loss)(x);
    print(l, g.first.b, g.last.w, g.many[1].c, g.many[2].w to B);
    print(shape(many[0].w), many[1].c);
    var count = 0;
    each (q, d) in g { count += 1; q = q - 0.01 * d; }
    print(count, loss(x), first.b, many[2].c);
    seen.b = seen.b + full(2.0, [2]);
    many[1].c = many[1].c * 2.0;
    print(seen.b, seen.w, many[0].c, many[1].c);
}
