// Copies of a struct of params that learn by themselves for some steps, side by side, and become one again: a weighted mean of each field, by which the params move with a
// momentum of their own (McMahan et al., 2017; Douillard et al., 2023). Values: expected.py (torch).
//% ranks 1 2 (3 4)
//% rtol 1e-4
import std.loss;
const N : int = 1;
const K : int = 6;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
struct Net { w : f32[5, 8] @ p = numbers([5, 8], 37), b : f32[8] @ p = 0.1 * numbers([8], 91), v : f32[8, 3] @ p = numbers([8, 3], 53) }
param net : Net;
state speed : Net;
state x : f32[K, 6, 5] @ p : S(0) = numbers([K, 6, 5], 13);
state t : i64[K, 6] @ p : S(0) = reshape(iota(6 * K) * 5 % 7 % 3, [K, 6]);
state size : f32[K] @ p : S(0) = 2.0 + numbers([K], 331);

fn of(n, x, t) { return loss.cross_entropy(tanh(x @ n.w + n.b) @ n.v, t); }
fn learned(n, x, t) {
    var m = n;
    for i in 0..3 { m = m - 0.2 * grad(of, wrt = "n")(m, x[2 * i..2 * i + 2], t[2 * i..2 * i + 2]); }
    return (m, of(m, x, t));
}

main {
    speed = 0.0 * speed;
    let weight = size / (sum(size) to B);
    for turn in 0..4 {
        let (m, l) = vmap(learned, over = ("x", "t"))(net, x, t);
        print(l to B);
        let all = each d in m => (sum(vmap(mul)(d, weight), dim = 0) to B);
        let d = net - all;
        speed = 0.9 * speed + d;
        net = net - 0.7 * (d + 0.9 * speed);
    }
    print(net);
    print(each d in net => [max(d), min(d)] as f32);
}
