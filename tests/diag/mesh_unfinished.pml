// Parts on one axis or several of a mesh, where a finished value is wanted.
place g = ranks(0..4) as (dp = 2, tp = 2);
place cube = ranks(0..8) as (a = 2, b = 2, c = 2);
param w : f32[8, 8] @ g : (tp=S(0)) = ones();
param u : f32[6, 10] @ cube : (a=S(0), b=S(1)) = ones();
param s : f32[7, 8] @ g : (dp=S(0), tp=S(0)) = ones();

fn on_one_axis(x: f32[8, 8] @ g : (dp=S(0))) {
    return relu(x @ w);                                    //~ PML0307@17
}
fn in_the_library(x: f32[8, 8] @ g : (dp=S(0))) -> f32[8, 8] @ g : (dp=S(0)) {
    return softmax(x @ w);                                 //~ PML0307@20
}
fn on_two_axes(x: f32[8, 8] @ g : (dp=S(0), tp=S(1))) {
    let y = sum(x);
    return exp(y) to B;                                    //~ PML0307@16
}
fn twice(x: f32[8, 8] @ g : (dp=S(0))) -> f32[8, 8] @ g {
    let p = x @ w;
    return p * (x @ w);                                    //~ PML0308@12
}
fn between_splits(x: f32[10, 8] @ cube : (b=S(0), c=S(1))) {
    let y = u @ x;                                         // (a=S(0), b=P(sum), c=S(1))
    return relu(y);                                        //~ PML0307@17
}
fn nested(x: f32[7, 8] @ g : (dp=S(0), tp=S(0))) {
    return sqrt(sum(x, dim = 0));                          //~ PML0307@17
}
fn id(x: f32[8, 8] @ g) { return x; }

main {
    let x = uniform(rng(1), [8, 8]) to @g : (dp=S(0));
    print(sum(on_one_axis(x)) to B, sum(in_the_library(x)) to B, sum(twice(x)) to B);
    print(on_two_axes(x));
    print(sum(between_splits(uniform(rng(1), [10, 8]) to @cube : (b=S(0), c=S(1)))) to B);
    print(sum(nested(s)) to B);
    print(sum(id(x @ w)) to B);                            //~ PML0309@18
    print(sum(x @ w));                                     //~ PML0310@11
    if sum(x) > 3.0 { print("more"); }                     //~ PML0307@8
    log(loss = sum(s));                                    //~ PML0310@16
}
