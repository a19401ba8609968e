// Particles that follow a density and keep apart (Liu, Wang, 2016): the gradient of each by vmap, kernels between all of them.
//% ranks 1 (2) 3 (4)
//% rtol 1e-3
const N : int = 1;
const M : int = 24;
place all = ranks(0..N);
fn logp(x) { return logsumexp(stack([-0.5 * finish(sum(square(x - 2.0))), -0.5 * sum(square(x + 2.0))], dim = 0)); }
main {
    var x = normal(rng(1), [M, 2]) to @all : S(0);
    for s in 0..50 {
        let g = vmap(grad(logp, wrt = 0))(x);
        let y = x to B;
        let d = unsqueeze(x, dim = 1) - unsqueeze(y, dim = 0);
        let k = exp(-0.5 * sum(d * d, dim = 2));
        let phi = (k @ (g to B) + sum(unsqueeze(k, dim = 2) * d, dim = 1)) / M;
        x = x + 0.1 * phi;
    }
    print(mean(x, dim = 0) to B, std(x to B));
}
