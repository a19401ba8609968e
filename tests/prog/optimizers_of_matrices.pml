// Muon and Adafactor: matrices, which are split or whole, a param of three dimensions and biases, with gradients like the params and in shares. Values:
// expected.py (torch.optim.Adafactor, AdamW, and Muon in f64).
//% layouts 0:1 1:3 3:4 (2 4)
//% rtol 1e-5
import std.loss;
import std.optim;
const LAYOUT : int = 0;
const TP : int = [1, 1, 2, 2, 1][LAYOUT];
const DP : int = [1, 3, 1, 2, 2][LAYOUT];
const SHARES : layout = [B, S(0), B, S(0), B][LAYOUT];
place p = ranks(0..TP * DP) as (tp = TP, dp = DP);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f64 / 504.0 - 1.0, sizes); }
struct Net {
    w : f64[6, 8] @ p : (tp=S(1)) = numbers([6, 8], 37),
    b : f64[8] @ p = 0.1 * numbers([8], 91),
    v : f64[8, 5] @ p : (tp=S(0)) = numbers([8, 5], 53),
    k : f64[2, 4, 5] @ p : (tp=S(2)) = numbers([2, 4, 5], 71)
}
param a : Net;
param f : Net;
state x : f64[12, 6] @ p : (dp=S(0)) = numbers([12, 6], 13);
state t : i64[12] @ p : (dp=S(0)) = iota(12) * 7 % 5;

fn of(net) {
    let h = tanh(x @ net.w + net.b);
    let cells = reshape(h to (tp=B), [12, 2, 4]);
    let z[n, o] = sum[i, j] cells[n, i, j] * net.k[i, j, o];
    return loss.cross_entropy((h @ net.v to (tp=B)) + (z to (tp=B)), t) to B;
}
fn by_muon() { return of(a); }
fn by_adafactor() { return of(f); }
fn tall(w) { return w.shape[0] != 8; }
fn show(net) { print(net.w to B, net.b, (net.v to B)[3], (net.k to B)[1, 2]); }

main {
    for step in 0..4 {
        let (l, g) = value_and_grad(by_muon, grads : (dp=SHARES))();
        let (m, h) = value_and_grad(by_adafactor, grads : (dp=SHARES))();
        print(l, m);
        optim.muon(g, lr = 0.02, rest = 0.01);
        optim.adafactor(h, lr = 0.1, weight_decay = 0.01);
    }
    show(a);
    show(f);
    optim.muon(grad(by_muon)(), lr = 0.02, rest = 0.01, momentum = 0.9, weight_decay = 0.05, of = tall, decays = optim.matrices);
    optim.adafactor(grad(by_adafactor)(), lr = 0.5, decay = -0.5, eps = 0.01, clip = 2.0);
    show(a);
    show(f);
}
