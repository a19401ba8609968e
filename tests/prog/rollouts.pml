// A policy in a world that is part of the program: a pole on a cart, in a batch of games of which some end early; what each action was worth, with gradients
// by policy and judge. Values: expected.py (torch).
//% ranks 1 (2) 3 (4)
//% rtol 1e-4
import std.loss;
import std.optim;
const N : int = 1;
const T : int = 12;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
struct Net { w : f32[4, 8] @ p = numbers([4, 8], 331), actor : f32[8, 2] @ p = numbers([8, 2], 97), judge : f32[8] @ p = 0.3 * numbers([8], 59) }
param net : Net;
state start : f32[7, 4] @ p : S(0) = 0.05 * numbers([7, 4], 13);
state draws : f32[7, T] @ p : S(0) = 0.5 + 0.499 * numbers([7, T], 101);

fn moved(s, force) {
    let (x, v, angle, w) = (s[.., 0], s[.., 1], s[.., 2], s[.., 3]);
    let push = (force + 0.05 * w * w * sin(angle)) / 1.1;
    let turn = (9.8 * sin(angle) - cos(angle) * push) / (0.5 * (4.0 / 3.0 - 0.1 * square(cos(angle)) / 1.1));
    return stack([x + 0.02 * v, v + 0.02 * (push - 0.05 * turn * cos(angle) / 1.1), angle + 0.02 * w, w + 0.02 * turn], dim = 1);
}
fn played(s, draws) {
    var (s, alive) = (s, ones([s.shape[0]]));
    var (chosen, judged, there) = ([], [], []);
    for t in 0..T {
        let h = relu(s @ net.w);
        let log_p = log_softmax(h @ net.actor);
        let right = (stop_gradient(exp(log_p[.., 1])) > draws[.., t]) as i32;
        chosen = chosen + [pick(log_p, right)];
        judged = judged + [h @ net.judge];
        there = there + [alive];
        s = moved(s, where(right == 1, 10.0, -10.0));
        alive = alive * (abs(s[.., 0]) < 2.4 && abs(s[.., 2]) < 0.05) as f32;
    }
    return (stack(chosen, dim = 1), stack(judged, dim = 1), stack(there, dim = 1));
}
fn worth(there) {
    var (left, all) = (zeros([there.shape[0]]), zeros(there.shape));
    for i in 0..T {
        let t = T - 1 - i;
        left = there[.., t] * (1.0 + 0.99 * left);
        all[.., t] = left;
    }
    return all;
}
fn objective(s, draws) {
    let (log_p, judged, there) = played(s, draws);
    let (r, n) = (worth(there), sum(there) to B);
    let middle = sum(there * r) / n to B;
    let spread = sqrt(sum(there * square(r - middle)) / n to B);
    let goal = (r - middle) / (spread + 1.0e-7);
    let better = stop_gradient(goal - judged);
    return (sum(there * (loss.huber(judged, goal, reduction = "none") - log_p * better)) / n to B, n);
}

main {
    for step in 0..3 {
        let ((l, n), g) = value_and_grad(objective)(start, draws);
        print(l, n, g.net.actor, g.net.judge, g.net.w[2]);
        optim.adam(g, lr = 0.02);
    }
}
