// std.distributions in f64: values and derivatives by numbers and parameters, whole and split over draws, what no draw can be, and draws of the library
// beside the distributions they are of. Values: expected.py (torch.distributions, whose trigamma is right to 1e-9).
//% ranks 1 2 (3 4)
//% rtol 3e-9
import std.distributions;

const N : int = 1;
const M : int = 6;
place p = ranks(0..N);

fn waves(shape: shape, step) { return sin(reshape(iota(volume(shape)) as f64, shape) * step + 0.3); }
fn counts(v) { return (iota(M) as i32) to @p; }
fn triangle() { return tril(waves([4, 4], 0.7), diagonal = -1) + 1.5 * eye(4, dtype = f64) to @p; }
fn triangles(v) {
    let t = transpose(v);
    return tril(unsqueeze(t, dim = 1) * unsqueeze(t, dim = 2), diagonal = -1) + unsqueeze(exp(t), dim = 2) * (eye(4, dtype = f64) to @p);
}

// The value, and the derivative along waves; that both are the same where draws are split, and the value in f32.
fn shown(name: string, f) {
    let v = waves([4, M], 0.37) to @p;
    let ct = waves([M], 1.7) to @p;
    let (y, d) = vjp(f)(v, ct);
    let (z, e) = vjp(f)(v to S(1), ct to S(0));
    let same = max(abs((z to B) - y)) < 1e-12 && max(abs((e to B) - d)) < 1e-12;
    print(name, sum(y), sum(y * waves([M], 0.9)), sum(d * waves([4, M], 0.9)), sum(d * d), same);
}

fn case0(v) { return distributions.normal_log(v[0], v[1], exp(v[2])); }
fn case1(v) { return distributions.normal_entropy(exp(v[2])); }
fn case2(v) { return distributions.normal_kl(v[0], exp(v[1]), v[2], exp(v[3])); }
fn case3(v) { return distributions.log_normal_log(exp(v[0]), v[1], exp(v[2])); }
fn case4(v) { return distributions.log_normal_entropy(v[1], exp(v[2])); }
fn case5(v) { return distributions.laplace_log(v[0], v[1], exp(v[2])); }
fn case6(v) { return distributions.laplace_entropy(exp(v[2])); }
fn case7(v) { return distributions.laplace_kl(v[0], exp(v[1]), v[2], exp(v[3])); }
fn case8(v) { return distributions.cauchy_log(v[0], v[1], exp(v[2])); }
fn case9(v) { return distributions.cauchy_entropy(exp(v[2])); }
fn case10(v) { return distributions.cauchy_kl(v[0], exp(v[1]), v[2], exp(v[3])); }
fn case11(v) { return distributions.student_log(v[0], exp(v[1]), v[2], exp(v[3])); }
fn case12(v) { return distributions.student_entropy(exp(v[1]), exp(v[3])); }
fn case13(v) { return distributions.gumbel_log(v[0], v[1], exp(v[2])); }
fn case14(v) { return distributions.gumbel_entropy(exp(v[2])); }
fn case15(v) { return distributions.gumbel_kl(v[0], exp(v[1]), v[2], exp(v[3])); }
fn case_of_von_mises(v) { return distributions.von_mises_entropy(exp(v[2])); }
fn case16(v) { return distributions.von_mises_log(v[0], v[1], exp(v[2])); }
fn case17(v) { return distributions.uniform_log(v[0], v[0] - exp(v[1]), v[0] + exp(v[2])); }
fn case18(v) { return distributions.uniform_entropy(v[0], v[0] + exp(v[2])); }
fn case19(v) { return distributions.exponential_log(exp(v[0]), exp(v[1])); }
fn case20(v) { return distributions.exponential_entropy(exp(v[1])); }
fn case21(v) { return distributions.exponential_kl(exp(v[0]), exp(v[1])); }
fn case22(v) { return distributions.gamma_log(exp(v[0]), exp(v[1]), exp(v[2])); }
fn case23(v) { return distributions.gamma_entropy(exp(v[1]), exp(v[2])); }
fn case24(v) { return distributions.gamma_kl(exp(v[0]), exp(v[1]), exp(v[2]), exp(v[3])); }
fn case25(v) { return distributions.beta_log(sigmoid(v[0]), exp(v[1]), exp(v[2])); }
fn case26(v) { return distributions.beta_entropy(exp(v[1]), exp(v[2])); }
fn case27(v) { return distributions.beta_kl(exp(v[0]), exp(v[1]), exp(v[2]), exp(v[3])); }
fn case28(v) { return distributions.poisson_log(counts(v), exp(v[1])); }
fn case29(v) { return distributions.poisson_kl(exp(v[0]), exp(v[1])); }
fn case30(v) { return distributions.bernoulli_log(counts(v) % 2, v[1]); }
fn case31(v) { return distributions.bernoulli_entropy(v[1]); }
fn case32(v) { return distributions.bernoulli_kl(v[0], v[1]); }
fn case33(v) { return distributions.binomial_log(counts(v), 9, v[1]); }
fn case34(v) { return distributions.negative_binomial_log(counts(v), exp(v[0]), v[1]); }
fn case35(v) { return distributions.geometric_log(counts(v), v[1]); }
fn case36(v) { return distributions.categorical_log(counts(v) % 4, transpose(v)); }
fn case37(v) { return distributions.categorical_entropy(transpose(v)); }
fn case38(v) { return distributions.categorical_kl(transpose(v), 2.0 * transpose(v)); }
fn case39(v) { return distributions.dirichlet_log(softmax(transpose(v)), exp(transpose(flip(v, dim = 0)))); }
fn case40(v) { return distributions.dirichlet_entropy(exp(transpose(v))); }
fn case41(v) { return distributions.dirichlet_kl(exp(transpose(v)), exp(2.0 * transpose(v))); }
fn case42(v) { return distributions.multivariate_log(transpose(v), triangle()[0], triangle()); }
fn case43(v) { return distributions.multivariate_log(transpose(v), transpose(flip(v, dim = 0)), triangles(v)); }
fn case44(v) { return distributions.multivariate_entropy(triangles(v)); }
fn case45(v) { return distributions.multivariate_kl(transpose(v), triangles(v), 0.0 * transpose(v), triangles(0.5 * v)); }

// The mean of the logarithms of draws is -entropy, but for what chance makes of it, in units of its spread.
fn drawn(name: string, logs, entropy) {
    let n = volume(logs);
    print(name, abs(mean(logs) + entropy) < 5.0 * std(reshape(logs, [n])) / n ** 0.5);
}

fn of_far(x) { return sum(where(x > 1.0, distributions.exponential_log(x, 2.0) + distributions.gamma_log(x, 3.0), distributions.beta_log(x, 2.0, 2.0))); }

main {
    shown("normal", case0);
    shown("normal", case1);
    shown("normal", case2);
    shown("log_normal", case3);
    shown("log_normal", case4);
    shown("laplace", case5);
    shown("laplace", case6);
    shown("laplace", case7);
    shown("cauchy", case8);
    shown("cauchy", case9);
    shown("cauchy", case10);
    shown("student", case11);
    shown("student", case12);
    shown("gumbel", case13);
    shown("gumbel", case14);
    shown("gumbel", case15);
    shown("von_mises", case16);
    shown("von_mises", case_of_von_mises);
    shown("uniform", case17);
    shown("uniform", case18);
    shown("exponential", case19);
    shown("exponential", case20);
    shown("exponential", case21);
    shown("gamma", case22);
    shown("gamma", case23);
    shown("gamma", case24);
    shown("beta", case25);
    shown("beta", case26);
    shown("beta", case27);
    shown("poisson", case28);
    shown("poisson", case29);
    shown("bernoulli", case30);
    shown("bernoulli", case31);
    shown("bernoulli", case32);
    shown("binomial", case33);
    shown("negative_binomial", case34);
    shown("geometric", case35);
    shown("categorical", case36);
    shown("categorical", case37);
    shown("categorical", case38);
    shown("dirichlet", case39);
    shown("dirichlet", case40);
    shown("dirichlet", case41);
    shown("multivariate", case42);
    shown("multivariate", case43);
    shown("multivariate", case44);
    shown("multivariate", case45);
    let far = [-1.0, 2.0] as f64;
    print(distributions.uniform_log(far), distributions.exponential_log(far), distributions.gamma_log(far, 2.0), distributions.beta_log(far, 2.0, 2.0),
          distributions.log_normal_log(far));
    print(grad(of_far)(far));
    let entropy = distributions.gamma_entropy(full(2.5, [], dtype = f64));
    drawn("normal", distributions.normal_log(normal(rng(1), [20000], std = 2.0, mean = 1.0, dtype = f64), 1.0, 2.0), distributions.normal_entropy(full(2.0, [], dtype = f64)));
    drawn("gamma", distributions.gamma_log(gamma(rng(2), [20000], 2.5, dtype = f64), 2.5), entropy);
    drawn("beta", distributions.beta_log(beta(rng(3), [20000], 2.0, 3.0, dtype = f64), 2.0, 3.0), distributions.beta_entropy(full(2.0, [], dtype = f64), 3.0));
    drawn("gumbel", distributions.gumbel_log(gumbel(rng(4), [20000], dtype = f64)), distributions.gumbel_entropy(full(1.0, [], dtype = f64)));
    drawn("laplace", distributions.laplace_log(laplace(rng(5), [20000], scale = 2.0, dtype = f64), 0.0, 2.0), distributions.laplace_entropy(full(2.0, [], dtype = f64)));
    drawn("exponential", distributions.exponential_log(exponential(rng(6), [20000], rate = 3.0, dtype = f64), 3.0),
          distributions.exponential_entropy(full(3.0, [], dtype = f64)));
    let alpha = [0.5, 2.0, 3.0] as f64;
    drawn("dirichlet", distributions.dirichlet_log(dirichlet(rng(7), broadcast(alpha, [20000, 3])), alpha), distributions.dirichlet_entropy(alpha));
    let logits = [0.5, -1.0, 2.0] as f64;
    drawn("categorical", distributions.categorical_log(categorical(rng(8), broadcast(logits, [20000, 3])), logits), distributions.categorical_entropy(logits));
}
