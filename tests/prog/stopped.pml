// A gradient stops at all tensors of a tuple, a list or a struct, however deep, and of a gradient; all that is unfinished of them is finished.
//% ranks 1 2
const N : int = 1;
place p = ranks(0..N);
struct Pair { a: f32[4], n: int }
param w : f32[4] @ p : B = reshape(iota(4) as f32, [4]);

fn of_tuple(x) { let (a, b) = stop_gradient((x * x, 3.0 * x)); return sum(a * x + b); }
fn of_list(x) { let l = stop_gradient([x, 2.0 * x]); return sum(l[0] * l[1] * x); }
fn of_struct(x) { let s = stop_gradient((Pair(a = x * x, n = 2), [x])); return sum(s[0].a * x) * s[0].n + sum(s[1][0]); }
fn inner() { return sum(w * w * w); }
fn of_gradient() { return sum(stop_gradient(grad(inner)()).w * w); }

main {
    let x = reshape(iota(4) as f32, [4]) to @p;
    let (s, t) = finish((sum(x to S(0)), [sum((x to S(0)) * x)]));
    print(s, t[0]);
    print(grad(of_tuple)(x), grad(of_list)(x), grad(of_struct)(x), grad(of_gradient)().w);
}
