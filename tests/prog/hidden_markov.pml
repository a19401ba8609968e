// A hidden Markov model: likelihood by a scan of logsumexp and its gradient, and the likeliest path (Viterbi).
//% ranks 1 (2) 3 (4)
//% rtol 1e-3
import std.optim;
const N : int = 1;
const K : int = 3;
const V : int = 5;
place all = ranks(0..N);
param pi0 : f32[K] @ all = normal(std = 0.5);
param trans : f32[K, K] @ all = normal(std = 0.5);
param emit : f32[K, V] @ all = normal(std = 0.5);

fn nll[b, t](x: i32[b, t] @ all : S(0)) -> f32 @ all : B {
    let a = log_softmax(trans);
    let e = transpose(log_softmax(emit));          // [V, K]
    let obs = embed(e, x);                          // [b, t, K]
    var alpha = log_softmax(pi0) + obs[.., 0, ..];
    for i in 1..t {
        alpha = logsumexp(unsqueeze(alpha, dim = 2) + a, dim = 1) + obs[.., i, ..];
    }
    return -mean(logsumexp(alpha)) to B;
}
fn viterbi[b, t](x: i32[b, t] @ all : S(0)) {
    let a = log_softmax(trans);
    let e = transpose(log_softmax(emit));
    let obs = embed(e, x);
    var d = log_softmax(pi0) + obs[.., 0, ..];
    var back = [];
    for i in 1..t {
        let s = unsqueeze(d, dim = 2) + a;
        back = back + [argmax(s, dim = 1)];
        d = max(s, dim = 1) + obs[.., i, ..];
    }
    var z = argmax(d);
    var path = [z];
    for i in 1..t {
        z = pick(back[t - 1 - i], z);
        path = [z] + path;
    }
    return stack(path, dim = 1);
}
main {
    let x = (iota(12 * 20) * 7 + floor_div(iota(240), 3)) % 5;
    let seqs = reshape(x, [12, 20]) as i32 to @all : S(0);
    for i in 0..60 {
        let (l, g) = value_and_grad(nll)(seqs);
        optim.adam(g, lr = 0.05);
        every 20 { print(l); }
    }
    print(nll(seqs), viterbi(seqs)[0..2] to B);
}
