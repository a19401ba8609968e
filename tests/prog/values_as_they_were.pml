// What is bound is as it was then: params and variables that a struct, tuple or list was made of change without it.
//% ranks 1 3
const N : int = 1;
config n : int = 1;
place p = ranks(0..N);
struct Pair { a : f32[2], b : f32[2] @ p }
struct Option { n : int, s : string, on : bool }
struct Nest { o : Option, l : [2] Option, pair : Pair }
param w : f32[2] @ p = [1.0, 2.0];
param v : f32[2] @ p = [3.0, 4.0];
fn made() { return Pair(a = w, b = v); }
fn total(m: Pair) { return sum(m.a * w) + sum(m.b); }

main {
    let (x, t, s, m) = (w, (w, v), Pair(a = w, b = v), made());
    var kept = Pair(a = w, b = v);
    w = w + 10.0;
    v = v + 10.0;
    print(x, t, s, m, kept, total(s));
    for i in 0..2 { let k = Pair(a = w, b = v); w = w + 1.0; v = v + 1.0; print(k, w, made()); }
    var c = n;
    var s2 = "a";
    let (tuple, list, o) = ((c, 2), [c, 3], Option(n = c, s = s2, on = c > 0));
    let nest = Nest(o, [o, Option(c, s2, false)], made());
    c = 5;
    s2 = "b";
    w = zeros([2]);
    print(tuple, list, o, nest);
    while c < 8 {
        let (k, l, z) = ((c, c + 1), [c, 2 * c], Option(c, s2, true));
        c += 1;
        print(k, l, z, c);
    }
}
