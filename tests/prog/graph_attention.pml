// A graph as a list of edges, which ranks share: attention of a node to its neighbours, then messages weighed by degrees into gated cells; with gradients.
// Values: expected.py (torch).
//% ranks 1 (2) 3 (4)
//% rtol 1e-4
import std.loss;
import std.nn;
const N : int = 1;
const V : int = 9;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
struct Cell { w : f32[8, 24] @ p = numbers([8, 24], 7), u : f32[8, 24] @ p = numbers([8, 24], 37), b : f32[24] @ p = numbers([24], 91), c : f32[24] @ p = numbers([24], 53) }
param w : f32[2, 5, 4] @ p = numbers([2, 5, 4], 331);
param a : f32[2, 8] @ p = numbers([2, 8], 97);
param cell : Cell;
param head : f32[8, 3] @ p = numbers([8, 3], 59);
state x : f32[V, 5] @ p = numbers([V, 5], 101);
state from : i32[23] @ p : S(0) = (iota(23) * 7 % V) as i32;
state into : i32[23] @ p : S(0) = (iota(23) * 5 % V) as i32;
state t : i32[V] @ p = [0, 1, 2, 2, 1, 0, 1, 1, 2];

fn attention(x, w, a) {
    let h = x @ w;
    let (source, goal) = (h[from], h[into]);
    let e = exp(leaky_relu(concat([goal, source]) @ a, slope = 0.2));
    let all = segment_sum(e, into, V) to B;
    return segment_sum(source * unsqueeze(e / all[into], dim = 1), into, V, dim = 0) to B;
}
fn messages(h) {
    let degree = (segment_sum(ones(into.shape) + 0.0 * (into as f32), into, V) to B) + 1.0;
    let n = rsqrt(degree);
    return (segment_sum(h[from] * unsqueeze(n[from] * n[into], dim = 1), into, V, dim = 0) to B) + h / unsqueeze(degree, dim = 1);
}
fn objective(x, t) {
    var h = relu(concat([attention(x, w[0], a[0]), attention(x, w[1], a[1])]));
    for step in 0..2 { h = nn.gru_cell(messages(h), h, cell.w, cell.u, cell.b, cell.c); }
    let z = h @ head;
    return (loss.mean_where(loss.cross_entropy(z, t, reduction = "none"), iota(V) < 6), z);
}

main {
    let ((l, z), g) = value_and_grad(objective)(x, t);
    print(l, z);
    print(g.w[1], g.a, g.cell.u[3], g.cell.c, g.head);
    print(grad(objective, wrt = "x")(x, t));
}
