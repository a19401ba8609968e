// What is declared is checked; nothing moves at the boundary of a function.
place all = ranks(0..2);

fn whole(x: f32[8] @ all : B) -> f32 @ all : B { return sum(x); }
fn split(x: f32[8] @ all : S(0)) -> f32 @ all : B {
    return sum(x);                                     //~ PML0303@12
}
fn open(x: f32[8] @ all) -> f32[8] @ all { return 2.0 * x; }
fn parts(x: f32[8] @ all : P) -> f32[8] @ all : P { return 2.0 * x; }
fn both[l: layout](x: f32[8] @ all : l, y: f32[8] @ all : l) -> f32[8] @ all : l { return x + y; }
fn loose(x: f32[8] @ all : S(0)) -> f32 @ all {
    return sum(x);                                     //~ PML0309@12
}

main {
    let b = uniform(rng(1), [8]) to @all : B;
    let s = uniform(rng(1), [8]) to @all : S(0);
    let p = b to P;
    let o = open(p);                                   //~ PML0309@18
    print(whole(b));
    print(whole(s));                                   //~ PML0303@17
    print(whole(p));                                   //~ PML0303@17
    print(split(b));
    print(sum(open(s)) to B);
    print(sum(relu(o)) to B);
    print(loose(s) to B);
    print(sum(parts(p)) to B);
    print(sum(parts(b)) to B);
    print(sum(parts(s)) to B);                         //~ PML0303@21
    print(sum(both(s, b)) to B);
    print(sum(both(b, s)) to B);                       //~ PML0305@23
    print(sum(both(p, p)) to B);                       //~ PML0309@20
}
