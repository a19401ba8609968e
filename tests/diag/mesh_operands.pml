// Operands that do not fit together on one axis, on several, or through nested splits; library functions among them.
place g = ranks(0..4) as (dp = 2, tp = 2);
place cube = ranks(0..8) as (a = 2, b = 2, c = 2);

fn one_axis(x: f32[8, 8] @ g : (dp=S(0), tp=S(1)), y: f32[8, 8] @ g : (dp=S(0), tp=S(0))) {
    return x + y;                                          //~ PML0304@12
}
fn crossed(x: f32[8, 8] @ g : (dp=S(0), tp=S(1)), y: f32[8, 8] @ g : (dp=S(1), tp=S(0))) {
    return x * y;                                          //~ PML0304@12
}
fn nested(x: f32[7, 8] @ g : (tp=S(0)), y: f32[7, 8] @ g : (dp=S(0), tp=S(0))) {
    return x - y;                                          //~ PML0304@12
}
fn product(x: f32[8, 6] @ cube : (a=S(0), b=S(1)), y: f32[6, 10] @ cube : (a=S(0), b=S(1), c=S(0))) {
    return x @ y;                                          //~ PML0304@12
}
fn parts(x: f32[8, 8] @ g : (dp=S(0)), y: f32[8, 8] @ g : (dp=P)) {
    return x * y;                                          //~ PML0304@12
}
fn indexed(x: f32[8, 8] @ g : (tp=S(0)), y: f32[8, 8] @ g : (tp=S(1))) {
    let q[i, j] = sum[k] x[i, k] * y[k, j];                //~ PML0304
    return sum(q) to B;
}
fn both_parts(x: f32[8, 8] @ g : (dp=P, tp=S(0)), y: f32[8, 8] @ g : (dp=P)) {
    return x * y;                                          //~ PML0308@12
}
fn largest(x: f32[8, 8] @ g : (tp=P(max)), y: f32[8, 8] @ g : (tp=P(max))) {
    return x + y;                                          //~ PML0308@12
}
fn scaled(x: f32[8, 8] @ g : (dp=S(0), tp=S(1)), r: f32[8] @ g : (tp=S(0)), b: f32[8] @ g : (dp=S(0))) {
    return bias(x, r) + bias(x, b);                        //~ PML0304@25
}
fn joined(x: f32[8, 8] @ g : (dp=S(0)), y: f32[4, 8] @ g : (dp=S(1))) {
    return concat([x, y], dim = 0);                        //~ PML0304
}
fn picked(x: f32[8, 8] @ g : (tp=S(1)), i: i32[4] @ g : (tp=S(0))) {
    return embed(x, i);                                    //~ PML0304
}
fn largest_at(x: f32[8, 8] @ g : (dp=S(0), tp=S(1))) {
    return argmax(x);                                      //~ PML0304
}

main {
    let x = uniform(rng(1), [8, 8]) to @g : (dp=S(0), tp=S(1));
    print(sum(one_axis(x, x to (dp=S(0), tp=S(0)))) to B, sum(crossed(x, x to (dp=S(1), tp=S(0)))) to B);
    let y = uniform(rng(1), [7, 8]) to @g : (tp=S(0));
    print(sum(nested(y, y to (dp=S(0), tp=S(0)))) to B);
    let z = uniform(rng(1), [8, 6]) to @cube : (a=S(0), b=S(1));
    print(sum(product(z, uniform(rng(1), [6, 10]) to @cube : (a=S(0), b=S(1), c=S(0)))) to B);
    print(sum(parts(x to (dp=S(0)), x to (dp=P))) to B, indexed(x to (tp=S(0)), x to (tp=S(1))));
    print(sum(both_parts(x to (dp=P, tp=S(0)), x to (dp=P))) to B);
    print(sum(largest(x to (tp=P(max)), x to (tp=P(max)))) to B);
    print(sum(scaled(x, x[0] to (tp=S(0)), x[0] to (dp=S(0)))) to B);
    print(sum(joined(x to (dp=S(0)), x[0..4] to (dp=S(1)))) to B);
    print(sum(picked(x to (tp=S(1)), iota(4) as i32 to @g : (tp=S(0)))) to B, sum(largest_at(x)) to B);
}
