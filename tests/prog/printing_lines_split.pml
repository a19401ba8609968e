// What turns of loops and branches show of each line that `vmap` takes, lines being split: as the host tells it of one line after the other.
//% ranks 1 2 (3) 4
//% also --loops=unrolled
//% also --reproducible
const N : int = 1;
config most : int = 3;
place p = ranks(0..N);
param w : f32[3] @ p = [1.0, 0.5, 0.25];

fn alike(x: f32[3]) { var h = x; for i in 0..3 { h = tanh(h + sum(h)); print("alike", i, sum(h) to B, digits = 4); } return sum(h); }
fn halved(x: f32[3]) { var h = x; while sum(h) > 0.5 { h = 0.5 * h; print("half", sum(h) to B); assert(sum(h) < 100.0 to B); } return sum(h); }
fn counted(x: f32[3], n: i32[]) { var h = x; for i in 0..n { h = h + 1.0; print("count", i, "of", n to B, h to B); } return sum(h); }
fn arms(x: f32[3]) { var s = sum(x); if x[0] > 2.5 { print("large", s to B); s = s * 2.0; } else { print("small", x to B); } return s; }
fn both(x: f32[3]) {
    var s = 0.0;
    for i in 0..4 {
        s = s + x[0] * 0.25;
        print("turn", i);
        if s > 1.5 { print("over", i, s to B); s = s - 1.0; for k in 0..2 { print("in it", i, k, s to B); s = s + 0.125; } }
    }
    return s;
}
fn outer_while(x: f32[3]) {
    var s = sum(x);
    while s > 1.0 { for k in 0..2 { s = s * 0.5; print("twice", k, s to B); } print("done", s to B); }
    return s;
}
fn in_arm(x: f32[3]) {
    var s = sum(x);
    if x[1] > 3.0 { while s > 3.0 { s = s * 0.5; print("arm", s to B); } }
    for i in 0..most { s = s + 1.0; print("more", i, s to B); }
    return s;
}
fn some_turns(x: f32[3]) { var s = 0.0; for i in 0..6 { s = s + x[2] * 0.5; if s > 4.0 { break; } print("until", i, s to B); } return s; }
fn weighed(x: f32[3]) { var h = x; for i in 0..2 { h = h * w; print("weighed", i, h to B); } return sum(h * h); }
fn rows(x: f32[2, 3]) { print("rows"); return sum(vmap(alike)(x)); }

main {
    let xs = reshape(iota(12) as f32, [4, 3]) * 0.5 to @p : S(0);
    let n = [2, 0, 3, 1] as i32 to @p : S(0);
    print(vmap(alike)(xs) to B, digits = 4);
    print(vmap(halved)(xs) to B);
    print(vmap(counted)(xs, n) to B);
    print(vmap(arms)(xs) to B);
    print(vmap(both)(xs) to B);
    print(vmap(outer_while)(xs) to B);
    print(vmap(in_arm)(xs) to B);
    print(vmap(some_turns)(xs) to B);
    print(vmap(grad(weighed))(xs).w to B);
    print(grad(all)(xs).w);
    print(sum(vmap(rows)(reshape(xs to B, [2, 2, 3]))), digits = 3);
}
fn all(xs) { return sum(vmap(weighed)(xs)) to B; }
