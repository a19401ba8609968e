// What is computed of rows taken by index, element by element, is computed of rows: of zeros that are not there nothing comes, and -0.0 and infinities
// are those of one rank. A `to` behind it brings the rows, with their gradients, in loops too.
//% layouts 0:1 1:2 2:3 3:4 4:4 5:4 (6:7)
//% also --reproducible
const LAYOUT : int = 0;
const M : int = [1, 2, 3, 4, 2, 2, 7][LAYOUT];
const N : int = [1, 1, 1, 1, 2, 2, 1][LAYOUT];
place all = ranks(0..M * N) as (a = M, b = N);
const RB : layout = [B, B, B, B, S(0), S(1), B][LAYOUT];
const OUT : layout = [S(0), S(0), S(1), B, S(0), S(1), S(0)][LAYOUT];
param t : f64[13, 4] @ all : (a=S(0), b=RB) = reshape((iota(13 * 4) % 7) as f64 - 3.0, [13, 4]);
param u : f64[13, 4] @ all : (a=S(0), b=RB) = reshape((iota(13 * 4) % 5) as f64 - 2.0, [13, 4]);

fn f(ids, others) {
    let x = exp(0.1 * embed(t, ids)) * embed(u, others) + cos(embed(t, ids)) to B;
    let y = embed(u, ids) * embed(u, ids) / 2.0 to (a=OUT, b=B);
    return sum(x * x) + (sum(y) to B);
}

main {
    let ids = randint(rng(1), [7], 0, 13) to @all;
    let others = randint(rng(2), [7], 3, 5) to @all;
    let (l, g) = value_and_grad(f)(ids, others);
    print(l, sum(g.t * t) to B, sum(g.u * u) to B);
    print(1.0 / (-embed(t, ids) * 0.0 to B), relu(embed(t, ids)) / embed(u, others) to B);
    print(abs(embed(t, ids)) == 2.0 to B, where(embed(t, ids) > 0.0, embed(u, others), -1.0) to B);
    var s = zeros([4]) as f64 to @all;
    for i in 0..5 { s = s + (abs(t[ids[i]]) to B); }
    print(s, sqrt(abs(t[ids[0]])) to B);
}
