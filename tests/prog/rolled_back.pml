// What turns only roll inside a `remat` is rolled back by the reverse pass: gradients are those of turns that keep it, however far the turns
// lead, whichever of the two values is read, in loops of any number of turns, in blocks computed again as a whole, and twice derived.
//% ranks 1 (2) 3
//% rtol 1e-10
const N : int = 1;
place all = ranks(0..N);
param x : f64[6, 4] @all : S(0) = normal();
param w : f64[6, 4] @all : S(0) = normal();

fn step(z, y, w) { return tanh(z + y * w); }

// Behind the roll and before it; 5 turns by 1 lead to the last place, 6 all the way, 4 nowhere, 3 by 2 all the way, 2 by 2 to the last but one.
fn kept(turns: int, by: int, behind: bool) {
    var (y, z) = (x, w);
    for t in 0..turns {
        if behind { y = roll(y, by, dim = 0) to S(0); }
        z = step(z, y, w);
        if !behind { y = roll(y, by, dim = 0) to S(0); }
    }
    return sum(z * z) + sum(y * w) to B;
}
fn undone(turns: int, by: int, behind: bool) {
    var (y, z) = (x, w);
    for t in 0..turns {
        if behind { y = remat { roll(y, by, dim = 0) to S(0) }; }
        z = step(z, y, w);
        if !behind { y = remat { roll(y, by, dim = 0) to S(0) }; }
    }
    return sum(z * z) + sum(y * w) to B;
}
fn counted(turns: int, by: int) {
    var (y, z, t) = (x, w, 0);
    while t < turns {
        y = remat { roll(y, by, dim = 0) to S(0) };
        z = step(z, y, w);
        t += 1;
    }
    return sum(z * z) + sum(y * w) to B;
}
fn again(turns: int, by: int) { return remat { undone(turns, by, true) }; }

fn alike(a, b) { return (max(abs(a.x - b.x)) to B) < 1e-12 && (max(abs(a.w - b.w)) to B) < 1e-12; }
fn size(f, turns: int) {
    let g = grad(f)(turns, 1, true);
    return sum(g.x * g.x) + sum(g.w * g.w) to B;
}

main {
    for (turns, by) in [(5, 1), (6, 1), (4, 1), (3, 2), (2, 2), (5, -1), (1, 1), (0, 1)] {
        let (l, g) = value_and_grad(kept)(turns, by, true);
        let (m, h) = value_and_grad(undone)(turns, by, true);
        let (n, k) = value_and_grad(again)(turns, by);
        print(l, m == l, n == l, alike(g, h), alike(g, k));
        let (u, a) = value_and_grad(kept)(turns, by, false);
        let (v, b) = value_and_grad(undone)(turns, by, false);
        print(u, v == u, alike(a, b));
    }
    var turns = 0;
    for t in 0..4 { turns += 1; }
    let (l, g) = value_and_grad(kept)(4, 1, true);
    let (m, h) = value_and_grad(counted)(turns, 1);
    print(m == l, alike(g, h));
    print(alike(grad(size)(kept, 4), grad(size)(undone, 4)), alike(grad(size)(kept, 5), grad(size)(undone, 5)));
}
