// optim.pml — optimizers: functions of a gradient that assign the params it belongs to.
//
// What an optimizer remembers is a state per param (`optim.sgd.v.w1`), saved with it and laid out like the derivative: mostly, that
// is like the param. Where the program asks for derivatives in shares, `value_and_grad(f, grads : (dp=S(0)))`, each rank keeps
// and updates its share, and what the param becomes is brought to the param's layout (ZeRO-1).
//
// weight_decay pulls params to 0: all, or with `decays`, a function of a param, those for which it is true: `decays = optim.matrices`, or
// one's own, such as `fn large(p) { return volume(p) >= D * D; }`.
//
// The examples stand in `main` of a program that begins with
//
//     import std.optim;
//
//     place one = ranks(0..1);
//     param w : f32[2] = [1.0, 2.0];
//     state scale : optim.LossScale[one];
//     state falling : optim.Plateau[one];
//     fn f(x: f32[2]) { return sum(w * x); }                 // its gradient by w is x
//     param m : f32[2, 2] = eye(2);
//     fn turn() { return sum(m * [[0.0, 3.0], [-3.0, 0.0]]); }

// Scalars are computed in the precision of the params, or better: what stands in for all of them must not be what limits a step.

/// The Euclidean norm of a whole gradient, or of a struct, tuple or list of tensors: f32, or f64 if a part is, and where its last part is. Every
/// rank takes part with what it holds; a scalar goes from placement to placement.
///     print(optim.norm(grad(f)([3.0, 4.0])));    // 5
fn norm(g) { return sqrt(dot(g, g)); }

/// The sum of the products of two gradients by the same params, or of two structs, tuples or lists of one form, element by element; in the
/// type and place of `norm`.
///     let g = grad(f)([3.0, 4.0]);
///     print(optim.dot(g, 2.0 * g));    // 50
fn dot(g, h) {
    let parts = pairs(g, h);
    var t = f32;
    for (d, e) in parts { if d.dtype == f64 || e.dtype == f64 { t = f64; } }
    var total = full(0.0, [], f64);
    for (d, e) in parts { total = plus(total, product_sum(d, e)); }
    return finish(total) as t;
}

// Where x is, if it is anywhere.
fn plus(total, x) {
    let p = place_of(x);
    return if p == none => total + x else (total to @p) + x;
}

// Unfinished where d is split. In f64, so that what is rounded to f32 at last does not depend on how many stacks of layers there are:
// in f32 each stage of a pipeline would round a sum of its own.
fn product_sum(d, e) { return sum((d as f64) * (e as f64)); }

/// The gradient, or struct, tuple or list of tensors, scaled down to the norm `limit` where it is longer (Pascanu et al., 2013).
///     print(optim.clip_norm(grad(f)([3.0, 4.0]), 1.0).w);    // [0.6, 0.8]
fn clip_norm(g, limit) {
    let length = norm(g);
    let scale = limit / max(length, limit);
    return each d in g => scaled(d, scale);
}

fn scaled[t: float, u: float](d: t[..], by: u[]) { return d * (beside(d, by) as t); }

// x where d is, if it is anywhere.
fn beside(d, x) {
    let p = place_of(d);
    return if p == none => x else (x to @p);
}

/// What the loss of a network is multiplied by where products take factors of f16 (`mixed f16`): derivatives smaller than 6e-8 would be zeros
/// as such factors, and those beyond 65504 are infinite. Declared once, as a state; the loss is `scale.factor * l`, and `unscaled` does the rest.
///     print(scale.factor, scale.steps);    // 65536 0
struct LossScale[p: place] {
    factor : f32 @ p = 65536.0,
    steps  : f32 @ p = 0.0       // since it changed
}

/// The gradient g, or struct, tuple or list of derivatives, of a loss that was multiplied by scale.factor, divided by it, and before it whether all of it is finite: if not, the step is
/// left out, and the factor is halved; after `patience` steps in a row that were finite it is doubled (Micikevicius et al., 2018).
/// `let (fits, h) = optim.unscaled(g, scale); if fits { optim.adamw(h, lr = lr); }`
///     let (fits, h) = optim.unscaled(65536.0 * grad(f)([3.0, 4.0]), scale);
///     print(fits, h.w, scale.factor);    // true [3, 4] 65536
fn unscaled(g, scale, patience = 2000) {
    let by = 1.0 / scale.factor;
    var fits = is_finite(scale.factor);
    each d in g { fits = beside(d, fits) && finish(all_finite(d)); }
    let here = fits to @scale.factor.place;
    let grows = here && scale.steps >= patience - 1.0;
    scale.factor = where(here, where(grows, 2.0, 1.0), 0.5) * scale.factor;
    scale.steps = where(here && !grows, scale.steps + 1.0, 0.0);
    return (here, each d in g => scaled(d, by));
}

fn all_finite(d) { return all(is_finite(d)); }

/// The mean of the gradients, or of the structs, tuples or lists of tensors, of n steps, to be used in the last of them, where (step + 1) % n == 0:
/// the sum so far is kept in a state per param, or per tensor, and begins anew in every n-th step. One large batch in n small ones:
/// `let mean = optim.accumulate(g, step, n = 4); if step % 4 == 3 { optim.adamw(mean, lr = lr); }`
///     let mean = optim.accumulate(grad(f)([3.0, 4.0]), 0, n = 2);
///     print(mean.w);    // [1.5, 2]
fn accumulate(g, step, n) {
    let anew = step % n == 0;
    return each d in g => added(d, anew, n);
}

// Chosen, not multiplied by zero: what is not finite would stay.
fn added(d, anew, n) {
    state total : like d = zeros();
    let more[..] = where(anew, 0.0, total[..]) + d[..] / n;
    total = like(total, more);
    return total;
}

// Steps are written as one operator each (`let next[..] = …`), not one per sign: models have many params.

// x in the layout of p.
fn like[t: float, l: layout](p: t[..] : l, x) { return x to l; }

/// The gradient, or struct, tuple or list of tensors, with every element brought into -limit to limit.
///     print(optim.clip_value(grad(f)([3.0, -4.0]), 3.5).w);    // [3, -3.5]
fn clip_value(g, limit) {
    return each d in g => clamp(d, -limit, limit);
}

/// Gradient descent: p = p - lr * v, where v = momentum * v + gradient (+ weight_decay * p). nesterov: by momentum * v + gradient.
/// dampening: that share of every gradient but the first does not go into v.
///     w = [1.0, 2.0];
///     optim.sgd(grad(f)([3.0, 4.0]), lr = 0.1);
///     print(w);    // [0.7, 1.6]
fn sgd(g: gradient, lr, momentum = 0.0, weight_decay = 0.0, decays = none, nesterov: bool = false, dampening = 0.0) {
    each (p, d) in g {
        var step = with_decay(p, d, decay_of(p, weight_decay, decays));
        if !is_known(momentum) || momentum != 0.0 {
            state v : like d = zeros();
            let taken = if is_known(dampening) && dampening == 0.0 => step else dampened(p, step, dampening);
            let faster[..] = momentum * v[..] + taken[..];
            v = faster;
            let ahead[..] = step[..] + momentum * v[..];
            step = if nesterov => ahead else v;
        }
        p = like(p, stepped(p, step, lr, 0.0));
    }
}

fn dampened[t: float](p, step: t[..], dampening) {
    state begun : f32 @ p.place = 0.0;
    let share[] = 1.0 - dampening * (begun as t);
    let c[..] = share * step[..];
    begun = 1.0;
    return c;
}

/// Adam (Kingma, Ba, 2015): steps by the mean of gradients over the root of the mean of their squares, both without the bias of
/// their first steps. weight_decay is added to the gradient. amsgrad: of the means of squares so far the largest is taken (Reddi et al., 2018).
///     w = [1.0, 2.0];
///     optim.adam(grad(f)([3.0, 4.0]), lr = 0.1);
///     print(w);    // [0.9, 1.9]
fn adam(g: gradient, lr, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.0, decays = none, amsgrad: bool = false) {
    each (p, d) in g {
        let c = with_decay(p, d, decay_of(p, weight_decay, decays));
        let step = narrowed(p, adam_step(p, d, widened(c), beta1, beta2, eps, amsgrad));
        p = like(p, stepped(p, step, lr, 0.0));
    }
}

/// Adam with weight decay of its own (Loshchilov, Hutter, 2019): p = p - lr * (step + weight_decay * p).
///     w = [1.0, 2.0];
///     optim.adamw(grad(f)([3.0, 4.0]), lr = 0.1, decays = optim.matrices);
///     print(w);    // [0.9, 1.9]
fn adamw(g: gradient, lr, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.01, decays = none, amsgrad: bool = false) {
    each (p, d) in g {
        let step = narrowed(p, adam_step(p, d, widened(d), beta1, beta2, eps, amsgrad));
        p = like(p, stepped(p, step, lr, decay_of(p, weight_decay, decays)));
    }
}

/// Adamax (Kingma, Ba, 2015): Adam by the largest gradient, which is forgotten by beta2, in place of the root of the mean of squares.
///     w = [1.0, 2.0];
///     optim.adamax(grad(f)([3.0, 4.0]), lr = 0.1);
///     print(w);    // [0.9, 1.9]
fn adamax(g: gradient, lr, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.0, decays = none) {
    each (p, d) in g {
        let c = with_decay(p, d, decay_of(p, weight_decay, decays));
        let step = narrowed(p, adamax_step(p, d, widened(c), beta1, beta2, eps));
        p = like(p, stepped(p, step, lr, 0.0));
    }
}

/// NAdam (Dozat, 2016): Adam by where its mean of gradients will be after the next step, with a beta1 that grows from half of it on, the faster the
/// larger `growth` is. weight_decay is added to the gradient, or with decoupled = true to the step, as in `adamw`.
///     w = [1.0, 2.0];
///     optim.nadam(grad(f)([3.0, 4.0]), lr = 0.1);
///     print(w);    // [0.894355, 1.89435]
fn nadam(g: gradient, lr, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.0, growth = 0.004, decays = none, decoupled: bool = false) {
    each (p, d) in g {
        let decay = decay_of(p, weight_decay, decays);
        let c = if decoupled => d else with_decay(p, d, decay);
        let step = narrowed(p, nadam_step(p, d, widened(c), beta1, beta2, eps, growth));
        p = like(p, stepped(p, step, lr, if decoupled => decay else 0.0));
    }
}

/// RAdam (Liu et al., 2020): Adam, less far while the mean of squares is of few steps, and by the mean of gradients alone in the first five.
/// weight_decay is added to the gradient, or with decoupled = true to the step, as in `adamw`.
///     w = [1.0, 2.0];
///     optim.radam(grad(f)([3.0, 4.0]), lr = 0.1);
///     print(w);    // [0.7, 1.6]
fn radam(g: gradient, lr, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.0, decays = none, decoupled: bool = false) {
    each (p, d) in g {
        let decay = decay_of(p, weight_decay, decays);
        let c = if decoupled => d else with_decay(p, d, decay);
        let step = narrowed(p, radam_step(p, d, widened(c), beta1, beta2, eps));
        p = like(p, stepped(p, step, lr, if decoupled => decay else 0.0));
    }
}

// How much of param p decays.
fn decay_of(p, weight_decay, decays) {
    if decays == none { return weight_decay; }
    return if decays(p) => weight_decay else 0.0;
}

/// For `decays`: true of params of two and more dimensions, false of biases and scales.
///     print(optim.matrices(ones([2, 3])), optim.matrices(ones([3])));    // true false
fn matrices(p) { return rank(p) > 1; }

// The derivative d of p with a share of p: what pulls p to 0.
fn with_decay(p, d, weight_decay) {
    if is_known(weight_decay) && weight_decay == 0.0 { return d; }
    let c[..] = d[..] + weight_decay * p[..];
    return c;
}

// p - lr * (step + weight_decay * p).
fn stepped(p, step, lr, weight_decay) {
    let rate = rate_of(p, lr);
    if is_known(weight_decay) && weight_decay == 0.0 {
        let next[..] = p[..] - rate * step[..];
        return next;
    }
    let next[..] = p[..] - rate * (step[..] + weight_decay * p[..]);
    return next;
}

// A rate that is a tensor, such as one of `plateau`, in the elements of p and where p is.
fn rate_of[t: float](p: t[..], lr) { return if is_tensor(lr) => beside(p, lr) as t else lr; }

// Moments of 16-bit params are f32: squares and eps would underflow.
fn widened(d) { return if d.dtype == f16 || d.dtype == bf16 => d as f32 else d; }

// The directions that Adam and what came of it take for param p and its derivative d, or c, what became of it: they remember moments in the elements of c,
// and how many steps there were, whose powers are f64, for 1 - 0.999 has few digits in f32.
fn adam_step[t: float](p, d, c: t[..], beta1, beta2, eps, amsgrad: bool) {
    state m : like d as t = zeros();
    state v : like d as t = zeros();
    state steps : f32 @ p.place = 0.0;
    let mean[..] = beta1 * m[..] + (1.0 - beta1) * c[..];
    let square[..] = beta2 * v[..] + (1.0 - beta2) * c[..] * c[..];
    m = mean;
    v = square;
    steps = steps + 1.0;
    let unbias1[] = (1.0 / (1.0 - beta1 ** (steps as f64))) as t;
    let unbias2[] = (1.0 / (1.0 - beta2 ** (steps as f64))) as t;
    let by = if amsgrad => largest_of(d, v) else v;
    let step[..] = unbias1 * m[..] / (sqrt(unbias2 * by[..]) + eps);
    return step;
}

fn largest_of[t: float](d, v: t[..]) {
    state most : like d as t = zeros();
    let more[..] = max(most[..], v[..]);
    most = more;
    return most;
}

fn adamax_step[t: float](p, d, c: t[..], beta1, beta2, eps) {
    state m : like d as t = zeros();
    state most : like d as t = zeros();
    state steps : f32 @ p.place = 0.0;
    let mean[..] = beta1 * m[..] + (1.0 - beta1) * c[..];
    let more[..] = max(beta2 * most[..], abs(c[..]) + eps);
    m = mean;
    most = more;
    steps = steps + 1.0;
    let unbias[] = (1.0 / (1.0 - beta1 ** (steps as f64))) as t;
    let step[..] = unbias * m[..] / most[..];
    return step;
}

fn nadam_step[t: float](p, d, c: t[..], beta1, beta2, eps, growth) {
    state m : like d as t = zeros();
    state v : like d as t = zeros();
    state steps : f32 @ p.place = 0.0;
    state kept : f64 @ p.place = 1.0;                      // what of the first mean is left: the product of all beta1
    let mean[..] = beta1 * m[..] + (1.0 - beta1) * c[..];
    let square[..] = beta2 * v[..] + (1.0 - beta2) * c[..] * c[..];
    m = mean;
    v = square;
    steps = steps + 1.0;
    let now = beta1 * (1.0 - 0.5 * 0.96 ** (growth * (steps as f64)));
    let then = beta1 * (1.0 - 0.5 * 0.96 ** (growth * (steps as f64 + 1.0)));
    kept = kept * now;
    let of_c[] = ((1.0 - now) / (1.0 - kept)) as t;
    let of_m[] = (then / (1.0 - kept * then)) as t;
    let unbias2[] = (1.0 / (1.0 - beta2 ** (steps as f64))) as t;
    let step[..] = (of_c * c[..] + of_m * m[..]) / (sqrt(unbias2 * v[..]) + eps);
    return step;
}

fn radam_step[t: float](p, d, c: t[..], beta1, beta2, eps) {
    state m : like d as t = zeros();
    state v : like d as t = zeros();
    state steps : f32 @ p.place = 0.0;
    let mean[..] = beta1 * m[..] + (1.0 - beta1) * c[..];
    let square[..] = beta2 * v[..] + (1.0 - beta2) * c[..] * c[..];
    m = mean;
    v = square;
    steps = steps + 1.0;
    let left = beta2 ** (steps as f64);
    let most = 2.0 / (1.0 - beta2) - 1.0;
    let length = most - 2.0 * (steps as f64) * left / (1.0 - left);     // of how many squares the mean is, about
    let known = length > 5.0;
    let share = (length - 4.0) * (length - 2.0) * most / ((most - 4.0) * (most - 2.0) * length);
    let unbias = 1.0 / (1.0 - beta1 ** (steps as f64));
    let alone[] = unbias as t;
    let by[] = (unbias * sqrt((1.0 - left) * where(known, share, 0.0))) as t;
    let step[..] = if known => by * m[..] / (sqrt(v[..]) + eps) else alone * m[..];
    return step;
}

/// Lion (Chen et al., 2023): steps by the sign of a mean of gradients.
///     w = [1.0, 2.0];
///     optim.lion(grad(f)([3.0, -4.0]), lr = 0.1);
///     print(w);    // [0.9, 2.1]
fn lion(g: gradient, lr, beta1 = 0.9, beta2 = 0.99, weight_decay = 0.0, decays = none) {
    each (p, d) in g {
        state m : like d = zeros();
        let c[..] = beta1 * m[..] + (1.0 - beta1) * d[..];
        let next = stepped(p, sign(c), lr, decay_of(p, weight_decay, decays));
        let mean[..] = beta2 * m[..] + (1.0 - beta2) * d[..];
        p = like(p, next);
        m = mean;
    }
}

/// RMSprop (Tieleman, Hinton, 2012): steps by the gradient over the root of a running mean of its squares, with momentum along a velocity of its own.
/// centered: of its running variance, the mean of squares without the square of the mean (Graves, 2013).
///     w = [1.0, 2.0];
///     optim.rmsprop(grad(f)([3.0, 4.0]), lr = 0.01);
///     print(w);    // [0.9, 1.9]
fn rmsprop(g: gradient, lr, alpha = 0.99, eps = 1e-8, momentum = 0.0, weight_decay = 0.0, decays = none, centered: bool = false) {
    each (p, d) in g {
        state v : like d = zeros();
        let c = with_decay(p, d, decay_of(p, weight_decay, decays));
        let square[..] = alpha * v[..] + (1.0 - alpha) * c[..] * c[..];
        v = square;
        let spread = if centered => around_mean(d, c, v, alpha) else v;
        let scaled[..] = c[..] / (sqrt(spread[..]) + eps);
        var step = scaled;
        if !is_known(momentum) || momentum != 0.0 {
            state m : like d = zeros();
            let faster[..] = momentum * m[..] + step[..];
            m = faster;
            step = m;
        }
        p = like(p, stepped(p, step, lr, 0.0));
    }
}

// What of the mean of squares v the running mean of c does not explain.
fn around_mean(d, c, v, alpha) {
    state mean : like d = zeros();
    let moved[..] = alpha * mean[..] + (1.0 - alpha) * c[..];
    mean = moved;
    let spread[..] = v[..] - mean[..] * mean[..];
    return spread;
}

/// Adagrad (Duchi et al., 2011): steps by the gradient over the root of the sum of all its squares, which begins with `initial`.
/// lr_decay: step n, from 0 on, has the rate lr / (1 + n lr_decay).
///     w = [1.0, 2.0];
///     optim.adagrad(grad(f)([3.0, 4.0]), lr = 0.1);
///     print(w);    // [0.9, 1.9]
fn adagrad(g: gradient, lr, eps = 1e-10, weight_decay = 0.0, decays = none, lr_decay = 0.0, initial = 0.0) {
    each (p, d) in g {
        state v : like d = zeros();
        let c = with_decay(p, d, decay_of(p, weight_decay, decays));
        let square[..] = v[..] + c[..] * c[..];
        v = square;
        let step[..] = c[..] / (sqrt(v[..] + initial) + eps);
        var rate = lr;
        if !is_known(lr_decay) || lr_decay != 0.0 {
            state steps : f32 @ p.place = 0.0;
            rate = slowed(steps, lr, lr_decay, 1.0);
            steps = steps + 1.0;
        }
        p = like(p, stepped(p, step, rate, 0.0));
    }
}

// lr / (1 + steps by) ** power.
fn slowed(steps, lr, by, power) {
    let n = steps as f64;
    return rate_of(n, lr) / (1.0 + rate_of(n, by) * n) ** power;
}

/// Adadelta (Zeiler, 2012): steps by the gradient times the root of the running means of squares of steps over that of gradients.
///     w = [1.0, 2.0];
///     optim.adadelta(grad(f)([3.0, 4.0]));
///     print(w);    // [0.996838, 1.99684]
fn adadelta(g: gradient, lr = 1.0, rho = 0.9, eps = 1e-6, weight_decay = 0.0, decays = none) {
    each (p, d) in g {
        state v : like d = zeros();
        state u : like d = zeros();
        let c = with_decay(p, d, decay_of(p, weight_decay, decays));
        let square[..] = rho * v[..] + (1.0 - rho) * c[..] * c[..];
        v = square;
        let step[..] = sqrt((u[..] + eps) / (v[..] + eps)) * c[..];
        let way[..] = rho * u[..] + (1.0 - rho) * step[..] * step[..];
        u = way;
        p = like(p, stepped(p, step, lr, 0.0));
    }
}

/// Rprop (Riedmiller, Braun, 1993): every element steps by a length of its own against the sign of its derivative. Where the sign stays, the length grows
/// to `grow` times itself, where it changes it shrinks to `shrink` times and the element waits a step; lengths begin with lr and stay between
/// `least` and `most`. For gradients of all data at once.
///     w = [1.0, 2.0];
///     optim.rprop(grad(f)([3.0, -4.0]), lr = 0.1);
///     print(w);    // [0.9, 2.1]
fn rprop(g: gradient, lr = 0.01, shrink = 0.5, grow = 1.2, least = 1e-6, most = 50.0) {
    each (p, d) in g {
        state before : like d = zeros();
        state length : like d = zeros();
        let same[..] = sign(before[..]) * sign(d[..]);
        let first = rate_of(p, lr);
        let now[..] = if length[..] > 0 => length[..] else first;
        let other[..] = if same[..] > 0 => grow * now[..] else if same[..] < 0 => shrink * now[..] else now[..];
        length = clamp(other, least, most);
        let taken[..] = if same[..] < 0 => 0 else d[..];
        before = taken;
        let next[..] = p[..] - length[..] * sign(taken[..]);
        p = like(p, next);
    }
}

/// Averaged gradient descent (Polyak, Juditsky, 1992): step n, from 0 on, has the rate r = lr / (1 + n decay lr)^power, and p = (1 - decay r) p - r gradient
/// (+ weight_decay * p). The mean of params is for `ema`, whose keep = n / (n + 1.0) weighs all steps alike.
///     w = [1.0, 2.0];
///     optim.asgd(grad(f)([3.0, 4.0]), lr = 0.1);
///     print(w, digits = 5);    // [0.69999, 1.59998]
fn asgd(g: gradient, lr = 0.01, decay = 1e-4, power = 0.75, weight_decay = 0.0, decays = none) {
    each (p, d) in g {
        let c = with_decay(p, d, decay_of(p, weight_decay, decays));
        state steps : f32 @ p.place = 0.0;
        let rate = rate_of(p, slowed(steps, lr, decay * lr, power));
        steps = steps + 1.0;
        let next[..] = (1.0 - decay * rate) * p[..] - rate * c[..];
        p = like(p, next);
    }
}

/// LAMB (You et al., 2020): the step of AdamW, for each param as long as the param itself.
///     w = [1.0, 2.0];
///     optim.lamb(grad(f)([3.0, 4.0]), lr = 0.1);
///     print(w);    // [0.842667, 1.84111]
fn lamb(g: gradient, lr, beta1 = 0.9, beta2 = 0.999, eps = 1e-6, weight_decay = 0.01, decays = none) {
    each (p, d) in g {
        let step = with_decay(p, narrowed(p, adam_step(p, d, widened(d), beta1, beta2, eps, false)), decay_of(p, weight_decay, decays));
        let size = sqrt(finish(sum(p * p)));
        let length = sqrt(finish(sum(step * step)));
        let ratio = where(size > 0.0, where(length > 0.0, size / length, 1.0), 1.0);
        let long[..] = ratio * step[..];
        p = like(p, stepped(p, long, lr, 0.0));
    }
}

/// Muon (Jordan et al., 2024): a param of two dimensions, w[in, out], steps by its momentum made orthogonal, as a matrix whose singular values are all
/// near 1 (five steps of Newton and Schulz), times the root of out / in where that is above 1. Params of other dimensions, and those for which `of`, a
/// function of a param, is false (tables of words, the last layer), take the step of `adamw` with the rate `rest`. A matrix that is split is whole
/// on every rank for its step.
///     optim.muon(grad(turn)(), lr = 0.1, weight_decay = 0.0);
///     print(abs(m - [[1.0, -0.1], [0.1, 1.0]]) < 0.04);
///     // [[true, true],
///     //  [true, true]]
fn muon(g: gradient, lr, rest = 0.0003, momentum = 0.95, weight_decay = 0.1, of = none, decays = none) {
    each (p, d) in g {
        let decay = decay_of(p, weight_decay, decays);
        if rank(p) == 2 && (of == none || of(p)) {
            let step = narrowed(p, muon_step(p, d, widened(d), momentum));
            p = like(p, stepped(p, step, lr, decay));
        } else {
            let step = narrowed(p, adam_step(p, d, widened(d), 0.9, 0.95, 1e-8, false));
            p = like(p, stepped(p, step, rest, decay));
        }
    }
}

fn muon_step[t: float](p, d, c: t[..], momentum) {
    state m : like d as t = zeros();
    let mean[..] = momentum * m[..] + (1.0 - momentum) * c[..];
    m = mean;
    let ahead[..] = momentum * m[..] + (1.0 - momentum) * c[..];
    let (n, k) = p.shape;
    let wide = ahead to B;
    let o = if n > k => transpose(orthogonal(transpose(wide))) else orthogonal(wide);
    return max(1.0, k / n) ** 0.5 * like(m, o);
}

// A matrix of no more rows than columns whose singular values are brought near 1: x = a x + (b x x^T + c (x x^T)^2) x, five times.
fn orthogonal(m) {
    var x = m / (norm(flatten(m)) + 1e-7);
    for i in 0..5 {
        let y = x @ transpose(x);
        x = 3.4445 * x + (2.0315 * (y @ y) - 4.775 * y) @ x;
    }
    return x;
}

/// Adafactor (Shazeer, Stern, 2018): of a param of two or more dimensions the means of squares are kept of rows and of columns alone, so they take nearly no memory;
/// steps go by their product, have at most the root mean square `clip`, and are as long as the param is: lr, or 1 / sqrt(step) where that is less, times its root mean square,
/// or eps, if that is more. decay: the share of the new squares in step n is n to that power.
///     w = [1.0, 2.0];
///     optim.adafactor(grad(f)([3.0, 4.0]), lr = 0.1);
///     print(w);    // [0.841886, 1.84189]
fn adafactor(g: gradient, lr = 0.01, decay = -0.8, eps = 1e-3, clip = 1.0, weight_decay = 0.0, decays = none) {
    each (p, d) in g {
        let c = widened(d);
        state steps : f32 @ p.place = 0.0;
        steps = steps + 1.0;
        let share = steps ** decay;
        let step = if rank(p) > 1 => factored(p, c, share) else by_squares(d, c, share);
        let length = sqrt(finish(mean(square(widened(p)))));
        let taken = maximum(length, eps) * minimum(rate_of(steps, lr), 1.0 / sqrt(steps)) as c.dtype;
        let most = maximum(sqrt(finish(mean(square(step)))) / clip, 1.0);
        let by = taken / most;
        let next = stepped(p, narrowed(p, step * by), 1.0, rate_of(p, lr) * decay_of(p, weight_decay, decays));
        p = like(p, next);
    }
}

const NO_SQUARE : float = 1.1920929e-7;

fn by_squares[t: float](d, c: t[..], share) {
    state v : like d as t = zeros();
    v = towards(v, c * c, share);
    let step[..] = c[..] / sqrt(max(v[..], NO_SQUARE * NO_SQUARE));
    return step;
}

fn factored(p, c, share) {
    let rows = mean_of_rows(p, finish(mean(square(c), dim = -1)), share);
    let columns = mean_of_columns(p, finish(mean(square(c), dim = -2)), share);
    let means = maximum(unsqueeze(finish(mean(rows, dim = -1)), dim = -1), NO_SQUARE);
    let by = unsqueeze(rows / means, dim = -1) * unsqueeze(columns, dim = -2);
    return c / sqrt(maximum(by, NO_SQUARE * NO_SQUARE));
}

// States of two functions, for each param one.
fn mean_of_rows[t: float](p, x: t[..], share) {
    state v : t[..] @ p.place = zeros();
    v = like(v, towards(v, x, share));
    return v;
}

fn mean_of_columns[t: float](p, x: t[..], share) {
    state v : t[..] @ p.place = zeros();
    v = like(v, towards(v, x, share));
    return v;
}

fn towards[t: float](v: t[..], x, share) {
    let k[] = share as t;
    let next[..] = (1.0 - k) * v[..] + k * x[..];
    return next;
}

/// A running mean of each param over the steps, to be called after each: mean = keep * mean + (1 - keep) * p, from the param itself on (Polyak,
/// Juditsky, 1992). swap = true exchanges params and means: once to evaluate or save the means, once more to go on.
/// `every 100 { optim.ema(g, swap = true); print(accuracy()); optim.ema(g, swap = true); }`. The means of 16-bit params are f32.
///     w = [1.0, 2.0];
///     let g = grad(f)([3.0, 4.0]);
///     optim.sgd(g, lr = 0.1);
///     optim.ema(g, keep = 0.5);
///     optim.ema(g, swap = true);
///     print(w);    // [0.7, 1.6]
fn ema(g: gradient, keep = 0.999, swap: bool = false) {
    each (p, d) in g {
        state begun : f32 @ p.place = 0.0;
        if p.dtype == f16 || p.dtype == bf16 {
            state mean_16 : like p as f32 = zeros();
            let now = p as f32;
            if swap { p = narrowed(p, mixed(mean_16, now, begun, 1.0)); }
            mean_16 = if swap => now else mixed(mean_16, now, begun, keep);
        } else {
            state mean : like p = zeros();
            let now = p;
            if swap { p = mixed(mean, now, begun, 1.0); }
            mean = if swap => now else mixed(mean, now, begun, keep);
        }
        begun = 1.0;
    }
}

fn mixed[t: float](a: t[..], b: t[..], begun, share) {
    let k[] = (begun as t) * share;
    let c[..] = k * a[..] + (1.0 - k) * b[..];
    return c;
}

fn narrowed[t: float](p: t[..], x) { return x as t; }

// ---- learning rates: host numbers, from the number of the step (from 0)

/// Warm-up, then always lr.
///     print(optim.constant(0.1, 1, warmup = 4), optim.constant(0.1, 100, warmup = 4));    // 0.05 0.1
fn constant(lr, step, warmup = 0) {
    return lr * warm_up(step, warmup);
}

/// A straight line from 0 up to 1 over the first `warmup` steps, 1 from then on.
///     print(optim.warm_up(1, 4), optim.warm_up(100, 4));    // 0.5 1
fn warm_up(step, warmup) {
    return if step < warmup => 1.0 * (step + 1) / warmup else 1.0;
}

/// Warm-up, then a straight line from lr down to `least` at step `total`.
///     for step in 0..3 { print(optim.linear(0.1, step, 2)); }
///     // 0.1
///     // 0.05
///     // 0
fn linear(lr, step, total, warmup = 0, least = 0.0) {
    return decayed(lr, least, 1.0 - progress(step, total, warmup)) * warm_up(step, warmup);
}

/// Warm-up, then half a cosine from lr down to `least` at step `total` (Loshchilov, Hutter, 2017).
///     for step in 0..3 { print(optim.cosine(0.1, step, 2)); }
///     // 0.1
///     // 0.05
///     // 0
fn cosine(lr, step, total, warmup = 0, least = 0.0) {
    return decayed(lr, least, 0.5 + 0.5 * cos(pi * progress(step, total, warmup))) * warm_up(step, warmup);
}

/// Warm-up, then lr until `factor` is applied once every `every_steps`.
///     print(optim.step_decay(0.1, 29, 30), optim.step_decay(0.1, 30, 30));    // 0.1 0.01
fn step_decay(lr, step, every_steps, factor = 0.1, warmup = 0) {
    return lr * factor ** floor_div(step, every_steps) * warm_up(step, warmup);
}

/// Warm-up, then lr times factor after each step.
///     print(optim.exponential(0.1, 2, 0.5));    // 0.025
fn exponential(lr, step, factor, warmup = 0) {
    return lr * factor ** max(0, step - warmup) * warm_up(step, warmup);
}

/// Warm-up, then (1 - progress)^power from lr down to `least` at step `total`.
///     for step in 0..3 { print(optim.polynomial(0.1, step, 2, power = 2.0)); }
///     // 0.1
///     // 0.025
///     // 0
fn polynomial(lr, step, total, power = 1.0, warmup = 0, least = 0.0) {
    return decayed(lr, least, (1.0 - progress(step, total, warmup)) ** power) * warm_up(step, warmup);
}

/// Warm-up, then lr times the root of warmup / (step + 1) (Vaswani et al., 2017).
///     print(optim.inverse_root(0.1, 99, 25));    // 0.05
fn inverse_root(lr, step, warmup) {
    return lr * min(1.0 * (step + 1) / warmup, sqrt(1.0 * warmup / (step + 1)));
}

/// lr, times `factor` from each step on that the list names: optim.milestones(0.1, step, at = [30, 60]).
///     print(optim.milestones(0.1, 40, at = [30, 60]));    // 0.01
fn milestones(lr, step, at: list, factor = 0.1) {
    var rate = 1.0 * lr;
    for m in at { rate = if step >= m => rate * factor else rate; }
    return rate;
}

/// Half a cosine up from lr / start to lr over the share `rise` of the steps, half a cosine down to lr / start / finish at the last one, total - 1
/// (Smith, Topin, 2018).
///     print(optim.one_cycle(0.1, 0, 100), optim.one_cycle(0.1, 30, 100), optim.one_cycle(0.1, 99, 100));
///     // 0.004 0.0999496535284524 4e-07
fn one_cycle(lr, step, total, rise = 0.3, start = 25.0, finish = 10000.0) {
    let top = rise * total - 1.0;
    let up = decayed(lr, lr / start, 0.5 - 0.5 * cos(pi * step / top));
    let down = decayed(lr, lr / start / finish, 0.5 + 0.5 * cos(pi * (step - top) / (total - 1.0 - top)));
    return if step <= top => up else down;
}

/// Half a cosine from lr down to `least` in every `period` steps, then from lr again; each period is `times` as long as the one before (Loshchilov,
/// Hutter, 2017).
///     print(optim.cosine_cycles(0.1, 50, 100), optim.cosine_cycles(0.1, 100, 100));    // 0.05 0.1
///     print(optim.cosine_cycles(0.1, 20, 10, times = 2));    // 0.05
fn cosine_cycles(lr, step, period: int, least = 0.0, times: int = 1) {
    var (begun, length) = (0, period);
    if times == 1 { begun = step - step % period; }
    else {
        while step >= begun + length { begun += length; length *= times; }
    }
    return decayed(lr, least, 0.5 + 0.5 * cos(pi * (step - begun) / length));
}

/// Straight lines from `least` up to lr in `up` steps and down again in `down` (as many as up), again and again (Smith, 2017). shrink: what is above
/// `least` is so many times as much in every cycle: 0.5 halves it each time. gamma: and times this to the power of the step.
///     print(optim.triangles(0.5, 1, 2, least = 0.1), optim.triangles(0.5, 6, 2, least = 0.1, shrink = 0.5));    // 0.3 0.3
fn triangles(lr, step, up, down = none, least = 0.0, shrink = 1.0, gamma = 1.0) {
    let back = if down == none => up else down;
    let cycle = floor_div(step, up + back);
    let at = step - cycle * (up + back);
    let share = if at < up => 1.0 * at / up else 1.0 - 1.0 * (at - up) / back;
    return least + (lr - least) * share * shrink ** cycle * gamma ** step;
}

/// What `plateau` remembers, declared as a state: `state falling : optim.Plateau[one];`.
///     print(falling.factor);    // 1
struct Plateau[p: place] {
    factor : f64 @ p = 1.0,
    best   : f64 @ p = inf,
    bad    : f32 @ p = 0.0,      // steps since it was the best
    rest   : f32 @ p = 0.0       // steps that do not count yet
}

/// What lr is to be multiplied by: `factor` each time a loss, or another number that is to fall, has for more than `patience` calls not been below
/// its least so far by the share `threshold` of it; after that `cooldown` calls do not count. least: of the result.
/// `let lr = 0.1 * optim.plateau(falling, validation_loss);` in each epoch.
///     for step in 0..3 { print(optim.plateau(falling, 2.0, patience = 1)); }
///     // 1
///     // 1
///     // 0.1
fn plateau(seen, loss, factor = 0.1, patience = 10, threshold = 1e-4, cooldown = 0, least = 0.0) {
    let now = (beside(seen.best, loss)) as f64;
    let better = now < seen.best * (1.0 - threshold);
    seen.best = where(better, now, seen.best);
    let resting = seen.rest > 0.0;
    let bad = where(better || resting, 0.0, seen.bad + 1.0);
    let stuck = bad > patience;
    seen.rest = where(stuck, 1.0 * cooldown, where(resting, seen.rest - 1.0, 0.0));
    seen.bad = where(stuck, 0.0, bad);
    seen.factor = where(stuck, maximum(seen.factor * factor, least), seen.factor);
    return seen.factor;
}

/// Warm-up, then lr, then a straight line down to `least` over the last `decay` of `total` steps.
///     print(optim.trapezoid(0.1, 50, 100, decay = 20), optim.trapezoid(0.1, 90, 100, decay = 20));    // 0.1 0.05
fn trapezoid(lr, step, total, decay, warmup = 0, least = 0.0) {
    return decayed(lr, least, min(1.0, 1.0 * max(0, total - step) / decay)) * warm_up(step, warmup);
}

/// How much of the steps after the warm-up are done: 0 to 1.
///     for step in 1..4 { print(optim.progress(step, 3, warmup = 1)); }
///     // 0
///     // 0.5
///     // 1
fn progress(step, total, warmup) {
    return min(1.0, max(0.0, (step - warmup) / max(1, total - warmup)));
}

fn decayed(lr, least, share) { return least + (lr - least) * share; }
