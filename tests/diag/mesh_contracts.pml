// Signatures on meshes: declared layouts, layout parameters, results, variables that are kept, reshapes.
place g = ranks(0..4) as (dp = 2, tp = 2);
place cube = ranks(0..8) as (a = 2, b = 2, c = 2);

fn rows(x: f32[8, 8] @ g : (dp=S(0))) -> f32[8, 8] @ g : (dp=S(0)) { return x * 2.0; }
fn inner(x: f32[6, 4] @ cube : (a=S(0), b=S(0))) { return sum(x) to B; }
fn pair[l: layout](x: f32[8, 8] @ g : l, y: f32[8, 8] @ g : l) { return sum(x + y) to B; }
fn whole(x: f32[8, 8] @ g : (dp=S(0), tp=S(1))) -> f32[8, 8] @ g : B {
    return x;                                              //~ PML0303@12
}
fn parts(x: f32[8, 8] @ g : (tp=S(1)), w: f32[8, 8] @ g : (tp=S(0))) -> f32[8, 8] @ g : (dp=S(0)) {
    return x @ w;                                          //~ PML0303@12
}
fn undeclared(x: f32[8, 8] @ g : (tp=S(1)), w: f32[8, 8] @ g : (tp=S(0))) -> f32[8, 8] @ g {
    return x @ w;                                          //~ PML0309@12
}
fn shaped(x: f32[8, 8] @ g : (dp=S(0), tp=S(1))) {
    return reshape(x, [4, 16]);                            //~ PML0311@12
}
fn cut(x: f32[6, 4] @ cube : (a=S(0), b=S(0))) {
    return reshape(x, [3, 8]);                             //~ PML0311@12
}

main {
    let x = uniform(rng(1), [8, 8]) to @g : (tp=S(1));
    let w = uniform(rng(2), [8, 8]) to @g : (tp=S(0));
    print(sum(rows(x)) to B);                              //~ PML0303@20
    print(inner(uniform(rng(1), [6, 4]) to @cube : (b=S(0), c=S(0))));         //~ PML0303@17
    print(inner(uniform(rng(1), [6, 4]) to @cube : (a=S(0))));
    print(pair(x, w));                                     //~ PML0305@19
    print(pair(w to B, x));                                //~ PML0305@24
    print(sum(whole(x to (dp=S(0), tp=S(1)))) to B, sum(parts(x, w)) to B, sum(undeclared(x, w)) to B);
    print(sum(shaped(x to (dp=S(0), tp=S(1)))) to B);
    print(sum(cut(uniform(rng(1), [6, 4]) to @cube : (a=S(0), b=S(0)))) to B);
    var z = x;
    var p = x @ w;
    for i in 0..3 {
        z = w * 2.0;                                       //~ PML0306@13
        print(sum(z) to B);
    }
    print(p);                                              //~ PML0303@11
    let kept = x @ w;
    print(1);
    if (sum(x) to B) > 0.0 { print(sum(rows(kept)) to B); }//~ PML0303@45
}
