// `remat every LAYOUT` before loops: the values and derivatives of the loop as it is, bit for bit, whatever k is; and what the turns print.
//% layouts 100 3 (1 2 6)
//% also --loops=unrolled
//% machine ethernet -D LAYOUT=100
//% bits segments
//% rtol 1e-4
const LAYOUT : int = 100;    // turns in a segment
place grid = ranks(0..2) as (d = 1, t = 2);
place pair = ranks([1, 0]);
param w : f32[8, 8] @ grid : (d=B, t=S(1)) = normal(std = 0.3);
param xs : f32[7, 8] @ grid : (d=B, t=S(1)) = normal(std = 0.3);
param ys : f32[9, 8] @ grid : B = normal(std = 0.3);
param rows : f32[7, 8] @ pair : S(0) = normal(std = 0.3);
param ls : [5] f32[8, 8] @ pair = normal(std = 0.3);
config n : int = 6;
state counts : i64[2] @ pair : S(0) = [6, 0];

// lines forward and backward, lines that turns write, a break, a count and a condition of the running program
fn on_grid(x: f32[4, 8] @ grid : (d=S(0), t=B)) {
    var h = x;
    var out = zeros([7, 4, 8]) to @grid : (d=S(1), t=B);
    remat every LAYOUT for i in 0..7 {
        h = (tanh(h @ w + xs[6 - i]) to (d=S(0), t=B)) + ys[i + 1];
        out[6 - i] = h;
    }
    remat every LAYOUT for i in 1..n {
        if (sum(h) to B) > 100.0 { break; }
        h = h * ys[i] + i + 0.1 * normal(rng(i), [4, 8]);
    }
    var turns = 0;
    remat every LAYOUT while (mean(h * h) to B) > 0.1 { h = h * 0.7; turns += 1; }
    return (mean(square(out)) to B) + turns * (mean(h) to B);
}

// what ranks have parts of, lists, turns that differ, loops in loops, a number that only the program knows
fn on_pair(x: f32[8] @ pair) {
    var h = x;
    remat every LAYOUT for i in 0..7 { h = tanh(h + (rows[i] to B)); print("turn", i, sum(h)); }
    let products = [ls[3] * 2.0, ls[1] + 0.1, ls[0]];
    remat every LAYOUT for q in products { h = h @ q; }
    remat every LAYOUT for i in 0..n - 1 { h = h + h @ ls[i]; }
    remat every LAYOUT for i in 0..5 { remat every LAYOUT for j in 0..i { h = sin(h + ls[i][j] * ls[4 - i][i]); } }
    var wide = 1;
    remat every LAYOUT for i in 0..4 { wide = wide + 1; h = h + sum(h[0..wide] * rows[1, 0..wide]) to B; }
    return sum(h);
}

// as many turns as ranks say
fn counted(x: f32[8] @ pair, n) {
    var h = x;
    remat every LAYOUT for i in 0..n { h = tanh(h @ ls[0] + 0.1 * i); }
    for i in 0..n { var j = 0 as i64; while j < 7 { h = sin(h * x + 0.1 * j); j = j + i + 1; } }
    return sum(h * h);
}

// one of a list in each turn, in micro-batches: there are no segments, and the block in a turn stays
fn listed(x) {
    var h = x;
    remat every LAYOUT for i in 0..n - 1 { h = remat { let z = tanh(h @ ls[i]); z + 0.3 * z * z }; }
    return mean(h * h);
}

fn second(x: f32[4, 8] @ grid : (d=S(0), t=B)) {
    let g = grad(on_grid)(x);
    return (sum(square(g.w)) to B) + (sum(square(g.xs)) to B);
}

main {
    let x = normal(rng(3), [4, 8]) to @grid : (d=S(0), t=B);
    let y = uniform(rng(4), [8]) to @pair;
    let (l, g) = value_and_grad(on_grid)(x);
    print(l, sum(square(g.w)) to B, sum(square(g.xs)) to B, sum(square(g.ys)) to B);
    let (m, h) = value_and_grad(on_pair)(y);
    print(m, sum(square(h.rows)) to B, h.ls[0], h.ls[1], h.ls[2], h.ls[3], h.ls[4]);
    let z = normal(rng(5), [4, 8]) to @pair;
    let (k, u) = microbatch(2) { value_and_grad(listed)(z) };
    print(k, u.ls[0][1], u.ls[4][2]);
    let said = counts to B;
    assert_close(grad(counted)(y, said[0]).ls[0], grad(counted)(y, n).ls[0]);
    assert(all((grad(counted)(y, said[1]).ls[0] to B) == 0.0));
    let (v, t) = value_and_grad(second)(x);    // adds up in another order
    print(format(v, significant = 3), format(sum(square(t.w)) to B, significant = 3), format(sum(square(t.ys)) to B, significant = 3));
}
