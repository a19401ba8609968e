// optim.pml — optimizers: functions of a gradient that assign the params it belongs to.
//
// What an optimizer remembers is a state per param (`optim.sgd.v.w1`), saved with it and laid out like the derivative: mostly, that
// is like the param. Where the program asks for derivatives in shares, `value_and_grad(f, grads : (dp=S(0)))`, each rank keeps
// and updates its share, and what the param becomes is brought to the param's layout (ZeRO-1).

/// The Euclidean norm of a whole gradient: f32, where its last param is. Every rank takes part with what it holds; a scalar goes
/// from placement to placement.
fn norm(g: gradient) {
    var total = 0.0;
    each (p, d) in g {
        let square = sum(d * d);   // unfinished where d is split: sums are finished together
        total = (total to @p.place) + (if d.dtype == f32 => square else finish(square) as f32);
    }
    return sqrt(finish(total));
}

/// The gradient, scaled down to the norm `limit` where it is longer (Pascanu et al., 2013).
fn clip_norm(g: gradient, limit) {
    let length = norm(g);
    let scale = limit / max(length, limit);
    return each (p, d) in g => scaled(d, scale to @p.place);
}

fn scaled[t: float](d: t[..], by: f32) { return d * (by as t); }

/// The mean of the gradients of n steps, to be used in the last of them, where (step + 1) % n == 0: the sum so far is kept in a state per
/// param and begins anew in every n-th step. One large batch in n small ones:
/// `let mean = optim.accumulate(g, step, n = 4); if step % 4 == 3 { optim.adamw(mean, lr = lr); }`
fn accumulate(g: gradient, step, n) {
    let keep = if step % n == 0 => 0.0 else 1.0;
    return each (p, d) in g => added(d, keep, n);
}

fn added(d, keep, n) {
    state total : like d = zeros();
    let more[..] = keep * total[..] + d[..] / n;
    total = more;
    return total;
}

// Steps are written as one operator each (`let next[..] = …`), not one per sign: models have many params.

// x in the layout of p.
fn like[t: float, l: layout](p: t[..] : l, x) { return x to l; }

/// Gradient descent: p = p - lr * v, where v = momentum * v + gradient (+ weight_decay * p).
fn sgd(g: gradient, lr, momentum = 0.0, weight_decay = 0.0) {
    each (p, d) in g {
        var step = with_decay(p, d, weight_decay);
        if !is_known(momentum) || momentum != 0.0 {
            state v : like d = zeros();
            let faster[..] = momentum * v[..] + step[..];
            v = faster;
            step = v;
        }
        let next[..] = p[..] - lr * step[..];
        p = like(p, next);
    }
}

/// Adam (Kingma, Ba, 2015): steps by the mean of gradients over the root of the mean of their squares, both without the bias of
/// their first steps. weight_decay is added to the gradient.
fn adam(g: gradient, lr, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.0) {
    each (p, d) in g {
        let step = adam_step(p, d, with_decay(p, d, weight_decay), beta1, beta2, eps);
        let next[..] = p[..] - lr * step[..];
        p = like(p, next);
    }
}

/// Adam with weight decay of its own (Loshchilov, Hutter, 2019): p = p - lr * (step + weight_decay * p).
fn adamw(g: gradient, lr, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.01) {
    each (p, d) in g {
        let step = adam_step(p, d, d, beta1, beta2, eps);
        let next[..] = p[..] - lr * (step[..] + weight_decay * p[..]);
        p = like(p, next);
    }
}

// The derivative d of p with a share of p: what pulls p to 0.
fn with_decay(p, d, weight_decay) {
    if is_known(weight_decay) && weight_decay == 0.0 { return d; }
    let c[..] = d[..] + weight_decay * p[..];
    return c;
}

// The direction Adam takes for param p and its derivative d, or c, what became of it: remembers the moments m and v, and how many
// steps there were. Moments of 16-bit params are f32: squares and eps would underflow.
fn adam_step[t: float](p, d, c: t[..], beta1, beta2, eps) {
    if d.dtype == f16 || d.dtype == bf16 { return adam_step_16(p, d, c as f32, beta1, beta2, eps) as t; }
    state m : like d = zeros();
    state v : like d = zeros();
    state steps : f32 @ p.place = 0.0;
    let mean[..] = beta1 * m[..] + (1.0 - beta1) * c[..];
    let square[..] = beta2 * v[..] + (1.0 - beta2) * c[..] * c[..];
    m = mean;
    v = square;
    steps = steps + 1.0;
    let unbias1[] = (1.0 / (1.0 - beta1 ** steps)) as t;
    let unbias2[] = (1.0 / (1.0 - beta2 ** steps)) as t;
    let step[..] = unbias1 * m[..] / (sqrt(unbias2 * v[..]) + eps);
    return step;
}

fn adam_step_16(p, d, c, beta1, beta2, eps) {
    state m : like d as f32 = zeros();
    state v : like d as f32 = zeros();
    state steps : f32 @ p.place = 0.0;
    let mean[..] = beta1 * m[..] + (1.0 - beta1) * c[..];
    let square[..] = beta2 * v[..] + (1.0 - beta2) * c[..] * c[..];
    m = mean;
    v = square;
    steps = steps + 1.0;
    let bias1[] = 1.0 - beta1 ** steps;
    let bias2[] = 1.0 - beta2 ** steps;
    let step[..] = m[..] / bias1 / (sqrt(v[..] / bias2) + eps);
    return step;
}

/// Lion (Chen et al., 2023): steps by the sign of a mean of gradients.
fn lion(g: gradient, lr, beta1 = 0.9, beta2 = 0.99, weight_decay = 0.0) {
    each (p, d) in g {
        state m : like d = zeros();
        let c[..] = beta1 * m[..] + (1.0 - beta1) * d[..];
        let next[..] = p[..] - lr * (sign(c[..]) + weight_decay * p[..]);
        let mean[..] = beta2 * m[..] + (1.0 - beta2) * d[..];
        p = like(p, next);
        m = mean;
    }
}

// ---- learning rates: host numbers, from the number of the step (from 0)

/// Warm-up, then always lr.
fn constant(lr, step, warmup = 0) {
    return lr * warm_up(step, warmup);
}

/// A straight line from 0 up to 1 over the first `warmup` steps, 1 from then on.
fn warm_up(step, warmup) {
    return if step < warmup => 1.0 * (step + 1) / warmup else 1.0;
}

/// Warm-up, then a straight line from lr down to `least` at step `total`.
fn linear(lr, step, total, warmup = 0, least = 0.0) {
    return decayed(lr, least, 1.0 - progress(step, total, warmup)) * warm_up(step, warmup);
}

/// Warm-up, then half a cosine from lr down to `least` at step `total` (Loshchilov, Hutter, 2017).
fn cosine(lr, step, total, warmup = 0, least = 0.0) {
    return decayed(lr, least, 0.5 + 0.5 * cos(3.141592653589793 * progress(step, total, warmup))) * warm_up(step, warmup);
}

/// Warm-up, then lr until `factor` is applied once every `every_steps`.
fn step_decay(lr, step, every_steps, factor = 0.1, warmup = 0) {
    return lr * factor ** floor_div(step, every_steps) * warm_up(step, warmup);
}

/// How much of the steps after the warm-up are done: 0 to 1.
fn progress(step, total, warmup) {
    return min(1.0, max(0.0, (step - warmup) / max(1, total - warmup)));
}

fn decayed(lr, least, share) { return least + (lr - least) * share; }
