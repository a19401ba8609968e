// Unfinished reductions where a finished value is needed.
place left  = ranks(0..2);
place right = ranks(2..4);
param w2 : f32[256, 10] @ right : S(0) = normal(std = 0.05);
param c2 : f32[10]      @ right : B    = zeros();

fn head[n](g: f32[n, 256] @ right : S(1)) -> f32[n, 10] @ right : B {
    let y = g @ w2;
    return relu(y) + c2;                   //~ PML0307@17
}

fn quotient[n](g: f32[n, 256] @ right : S(1)) -> f32[n, 10] @ right : P {
    let y = g @ w2;
    return exp(c2) / y;                    //~ PML0307@22
}

fn square[n](g: f32[n, 256] @ right : S(1)) -> f32[n, 10] @ right : P {
    let y = g @ w2;
    let z = exp(g) @ w2;
    return y * z;                          //~ PML0308@12
}

fn scaled[n](g: f32[n, 256] @ right : S(1)) -> f32[n, 10] @ right : P {
    let y = g @ w2;
    return 2.0 * y * exp(c2) / 3.0 - c2;
}

main {
    let x = uniform(rng(1), [64, 256]) to @right : S(1);
    print(sum(head(x)));
    print(sum(quotient(x)) to B);
    print(sum(square(x)) to B);
    print(sum(scaled(x)) to B);
}
