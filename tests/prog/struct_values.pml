// Structs made of values: in loops of the host and of what is differentiated, in functions, lists, structs, choices and micro-batches;
// params beside gradients; structs that are moved.
//% ranks 1 3 (2 4)
const N : int = 1;
config turns : int = 3;
place p = ranks(0..N);
struct Cell[n, m, on: place] { w : f32[n, m] @ on = normal(std = 0.3), u : f32[m, m] @ on = normal(std = 0.3), b : f32[m] @ on = zeros() }
struct Carry[rows, m] { h : f32[rows, m] @ p : S(0), c : f32[rows, m] @ p : S(0) }
struct Pair[on: place] { cell : Cell[3, 4, on], scale : float, uses : int, name : string }
struct Point { x : f32[2] = zeros(), v : f32[2] = zeros() }
param cell : Cell[3, 4, p];
param wide : f32[4, 4] @ p : S(0) = normal(std = 0.3);
state best : Cell[3, 4, p];
param begun : [2] Cell[3, 4, p] = Cell(w = ones(), b = normal(std = 1.0));
param each_of : [2] [2] Point = [[Point(x = [0.5, 1.5]), corner(3.0)], [Point(), Point(v = normal(std = 1.0))]];
param given : Point = corner(2.0);
state mixed_up : Wide[p] = Wide(Point(zeros(), [1.0, 2.0]));

struct Wide[on: place] { at : Point, more : f32[3] @ on = full(0.5) }
fn spread() { var s = 0.0; for row in each_of { for q in row { s += sum(q.x * q.x) * (1.0 + q.v[0]); } } return s; }
fn corner(k) { return Point(x = [k, k], v = ones([2])); }
fn step[r](cell: Cell[3, 4, p], s: Carry[r, 4], x: f32[r, 3] @ p : S(0)) -> Carry[r, 4] {
    let h = tanh(x @ cell.w + s.h @ cell.u + cell.b);
    return Carry(h = h, c = 0.5 * s.c + h);
}
fn unrolled(cell, xs: f32[5, 8, 3] @ p : S(1), n) {
    let zero = zeros([8, 4]) to @p : S(0);
    var s = Carry(h = zero, c = zero);
    for t in 0..5 { s = remat { step(cell, s, xs[t]) }; }
    for t in 0..n { s = step(cell, s, xs[t]); }
    return mean(s.c * s.c) to B;
}
fn loss(xs, n) { return unrolled(Cell(w = cell.w, u = 1.0 * cell.u, b = cell.b), xs, n) + mean(square(wide)) to B; }
fn small[r](x: f32[r, 3] @ p : S(0)) {
    let zero = zeros([r, 4]) to @p : S(0);
    let s = step(Cell(w = cell.w, u = cell.u, b = cell.b), Carry(zero, zero), x);
    return mean(s.c * s.c) to B;
}
fn made(key: rngkey, on: place) { return Cell[3, 4, on](w = normal(key, [3, 4]), u = zeros([4, 4]), b = ones([4])); }
fn moved(s: Point) { return Point(x = s.x + 0.1 * s.v, v = s.v - 0.1 * s.x); }
fn after(s: Point, n) { var q = s; for i in 0..n { q = moved(q); } return sum(q.x * q.x); }
fn path_of(s: Point) { var path = [s]; for i in 0..2 { path = path + [moved(path[i])]; } return path; }
fn both(x, v) { return moved(Point(x, v)); }

main {
    print(each_of[0], each_of[1][0].x, each_of[1][1].v, grad(spread)());
    print(sum(begun[1].w), sum(begun[0].u) == 12.0, begun[0].b, begun[1].b, given, mixed_up);
    let xs = uniform(rng(1), [5, 8, 3]) to @p : S(1);
    var least = 1.0e9;
    for i in 0..turns {
        let (l, g) = value_and_grad(loss)(xs, turns);
        if l < least { best = Cell(w = cell.w, u = cell.u, b = cell.b); least = l; }
        cell -= 0.5 * g;
        wide -= 0.5 * g;
        cell = cell + 0.1 * cell;
        print(l, sum(best.w), sum(wide) to B);
    }
    let (l, d) = value_and_grad(unrolled, wrt = "cell")(made(rng(2), p), xs, turns);
    print(l, d.b, sum(abs(d.w)) - sum(abs((d to B).w)));
    let all = Pair(cell = made(rng(3), p), scale = 0.5, uses = turns, name = "made");
    let other = if turns > 2 => all else Pair(cell = 2.0 * all.cell, scale = 1.0, uses = 0, name = "other");
    print(other.name, other.scale, other.uses, sum(other.cell.w), other.cell.b);
    print(sum((all.cell to S(0)).w) to B);
    var s = Point(x = [1.0, 0.0], v = [0.0, 1.0]);
    for i in 0..turns { s = moved(s); }
    while s.x[0] > 0.5 { s = moved(s); }
    print(s, grad(after)(s, turns), vmap(both)(ones([2, 2]), zeros([2, 2])));
    let step = Point(x = [0.01, 0.0], v = [0.0, 0.0]);
    let slope = (after(s + step, turns) - after(s - step, turns)) / 0.02;
    let derivative = grad(after)(s, turns);
    print("difference", abs(slope - derivative.x[0]) < 0.001);
    let path = path_of(s);
    print(length(path), path[2].x, Point([1.0, 2.0], zeros([2])));
    let rows = uniform(rng(4), [24, 3]) to @p : S(0);
    let k = microbatch(2) { grad(small)(rows) };
    print(norm(k.cell.u), norm(k.cell.b), norm((grad(small)(rows)).cell.b));
    print(sum(Cell[3, 4](cell.w, cell.u, cell.b).w - cell.w));    // the placement is told by the fields
}
