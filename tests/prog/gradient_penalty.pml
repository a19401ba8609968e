// A critic and a generator that take turns: the norm of the critic's derivative by images between true and made ones is held to 1, so it is
// differentiated by the critic's params. Values: expected.py (torch).
//% ranks 1 (2) 3 (4)
//% rtol 1e-4
import std.nn;
import std.optim;
const N : int = 1;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
struct Critic { k : f32[4, 1, 3, 3] @ p = numbers([4, 1, 3, 3], 331), b : f32[4] @ p = 0.2 * numbers([4], 59), w : f32[36] @ p = 0.5 * numbers([36], 97) }
struct Maker { w : f32[3, 36] @ p = numbers([3, 36], 37), k : f32[1, 1, 3, 3] @ p = numbers([1, 1, 3, 3], 101) }
param critic : Critic;
param maker : Maker;
state images : f32[5, 1, 6, 6] @ p : S(0) = numbers([5, 1, 6, 6], 13);
state z : f32[5, 3] @ p : S(0) = numbers([5, 3], 71);
state between : f32[5] @ p : S(0) = 0.5 + 0.5 * numbers([5], 211);

fn judged(x) { return flatten(leaky_relu(nn.conv(x, critic.k, critic.b, stride = 2, pad = 1), slope = 0.2)) @ critic.w; }
fn total(x) { return sum(judged(x)) to B; }
fn made(z) { return tanh(conv2d(reshape(z @ maker.w, [z.shape[0], 1, 6, 6]), maker.k, pad = 1)); }
fn penalty(x, y, a) {
    let g = grad(total, wrt = "x")(x + reshape(a, [-1, 1, 1, 1]) * (y - x));
    return mean(square(sqrt(sum(square(g), dim = [1, 2, 3])) - 1.0)) to B;
}
fn critic_loss(x, y, a) {
    let held = penalty(x, y, a);
    return ((mean(judged(y)) - mean(judged(x)) to B) + 10.0 * held, held);
}
fn maker_loss(z) { return -mean(judged(made(z))) to B; }

main {
    for step in 0..3 {
        let y = made(z);
        let ((l, held), g) = value_and_grad(critic_loss, wrt = critic)(images, y, between);
        print(l, held, g.critic.k[2], g.critic.w[0..4]);
        optim.adam(g, lr = 0.01, beta1 = 0.5, beta2 = 0.9);
        let (m, h) = value_and_grad(maker_loss, wrt = maker)(z);
        print(m, h.maker.k, h.maker.w[1, 0..4]);
        optim.adam(h, lr = 0.01, beta1 = 0.5, beta2 = 0.9);
    }
}
