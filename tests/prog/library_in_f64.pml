// Parts of the library whose loops go through tokens, steps and lines, in f64, their batches, channels or rows split: values and derivatives beside those
// of another program (PyTorch).
//% long
//% ranks 1 2 4
//% rtol 1e-8
import std.crf;
import std.linalg;
import std.loss;
import std.minimize;
import std.nn;
import std.ode;
const N : int = 1;
const T : int = 9;
place p = ranks(0..N);
struct Mamba[p: place] {
    up : f64[6, 16] @ p = zeros(), filter : f64[8, 4] @ p = zeros(), shift : f64[8] @ p = zeros(), mix : f64[8, 8] @ p = zeros(),
    time : f64[2, 8] @ p = zeros(), least : f64[8] @ p = zeros(), rate : f64[8, 3] @ p = zeros(), skip : f64[8] @ p = zeros(),
    down : f64[8, 6] @ p = zeros()
}
param layer : Mamba[p];
param pull : f64[3, 3] @ p = zeros();
param chain : f64[4, 4] @ p = zeros();
param way : f64[5] @ p = zeros();

fn ramp(sizes: shape, a: int) { return (reshape((iota(volume(sizes)) * a % 23) as f64, sizes) - 11.0) * 0.1; }
fn fill() {
    layer.up = 0.5 * ramp([6, 16], 7);
    layer.filter = 0.5 * ramp([8, 4], 5);
    layer.shift = 0.5 * ramp([8], 3);
    layer.mix = 0.5 * ramp([8, 8], 9);
    layer.time = 0.5 * ramp([2, 8], 4);
    layer.least = 0.5 * ramp([8], 6);
    layer.rate = 0.5 * ramp([8, 3], 8);
    layer.skip = 0.5 * ramp([8], 11);
    layer.down = 0.5 * ramp([8, 6], 13);
    pull = ramp([3, 3], 5);
    chain = ramp([4, 4], 7);
}

fn of_tokens(x) { return 1e6 * (mean(square(nn.mamba(x, layer))) to B); }
fn by_ctc(x) { return loss.ctc(x, [[1, 2, 2], [3, 1, 4], [4, 4, 0], [2, 0, 0]] as i32, times = [7, 6, 4, 7] as i32, lengths = [3, 2, 2, 1] as i32) to B; }
fn by_chain(x) { return crf.nll(x, chain, [[1, 2, 2, 0, 3], [3, 1, 0, 0, 0], [0, 0, 1, 2, 3], [3, 3, 3, 1, 1]] as i32, lengths = [5, 2, 4, 5] as i32) to B; }
fn of_factor(a) { return sum(sin(linalg.cholesky(a @ transpose(a) + eye(6, dtype = f64)))) to B; }
fn swing(t, y) { return tanh(y @ pull) - 0.5 * y + 0.1 * t; }
fn end_of(y) { return sum(square(ode.rk45(swing, y, 0.0, 2.0, rtol = 1e-11, atol = 1e-13))) to B; }
fn fit(d) { let (x, t) = d; return (mean(softplus(-t * (x @ way))) to B) + 0.05 * sum(way * way); }

main {
    fill();
    let x = ramp([4, T, 6], 10) to @p : S(0);
    print(nn.mamba(x, layer)[3, 8] to B);
    let (l, g) = value_and_grad(of_tokens)(x);
    print(l, g.layer.rate[7], g.layer.least, g.layer.filter[2], g.layer.time[1], g.layer.up[0], g.layer.mix[3]);
    print(grad(of_tokens, wrt = "x")(x)[3, 4] to B);

    let z = 3.0 * ramp([4, 7, 5], 8) to @p : S(0);
    print(by_ctc(z), grad(by_ctc, wrt = "x")(z)[1, 2] to B);
    let (s, h) = value_and_grad(by_chain)(ramp([4, 5, 4], 6) to @p : S(0));
    print(s, h.chain);

    let a = ramp([6, 6], 11) to @p;
    print(of_factor(a), grad(of_factor)(a));

    let y = ramp([4, 3], 3) to @p : S(0);
    let (e, k) = value_and_grad(end_of)(y);
    print(e, k.pull, grad(end_of, wrt = "y")(y)[2] to B);

    let rows = (ramp([12, 5], 9) to @p : S(0), 2.0 * (reshape(iota(12) % 3, [12]) == 0) as f64 - 1.0 to @p : S(0));
    print(minimize.lbfgs(fit, steps = 60, data = rows, tolerance = 1e-12), way);
}
