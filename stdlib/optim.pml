// optim.pml — optimizers: functions of a gradient that assign the params it belongs to.
//
// What an optimizer remembers is a state per param (`optim.sgd.v.w1`), laid out like the param and saved with it.

/// Gradient descent: p = p - lr * v, where v = momentum * v + gradient (+ weight_decay * p).
fn sgd(g: gradient, lr, momentum = 0.0, weight_decay = 0.0) {
    each (p, d) in g {
        var step = d;
        if !is_known(weight_decay) || weight_decay != 0.0 { step = step + weight_decay * p; }
        if !is_known(momentum) || momentum != 0.0 {
            state v : like p = zeros();
            v = momentum * v + step;
            step = v;
        }
        p = p - lr * step;
    }
}
