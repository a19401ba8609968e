// Layouts that fit, silently or by a written `to`.
place left  = ranks(0..2);
place right = ranks(2..4);
place odd   = ranks([3, 0, 2]);

fn f[n, k](x: f32[n, k] @ left, w: f32[k, 3] @ left) -> f32[n, 3] @ left { return x @ w; }
fn same[l: layout](x: f32[6] @ left : l) -> f32[6] @ left : l { return relu(x); }

main {
    let x = uniform(rng(1), [6, 8]);
    let w = uniform(rng(2), [8, 3]);
    let s = x to @left : S(0);
    let c = x to @left : S(1);
    let b = x to @left : B;
    print(sum(f(s, w to @left : B)) to B);
    print(sum(f(b, w to @left : S(1))) to B);
    print(sum((c @ (w to @left : S(0))) to B));
    print(sum((c @ w) to S(1)) to B);
    print(sum(s + b + 1.0) to B);
    print(sum((c @ w) + (b @ w)) to B);
    print(sum(same(sum(s, dim = 1))) to B);
    print(sum((max(c, dim = 1) to B) - max(x, dim = 1)));
    print(sum(s to @right : S(1)) to B);
    print(sum(s to @odd : S(0)) to B);
    print(sum((s to @odd : P) to @right : S(0)) to B);
    print(sum(x to @odd) to B);
    print(sum(x));
}
