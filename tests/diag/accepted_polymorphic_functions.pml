place left = ranks(0..2);
fn id(x) { return x; }
fn twice[n, t: number, p: place](x: t[n] @ p) -> t[n] @ p { return x + x; }
fn keep[.., d, l: layout](x: f32[.., d] @ left : l) -> f32[.., d] @ left : l { return x * 2.0; }
fn apply(f, x) { return f(x); }
main {
    let x = ones([4, 4]) to @left : S(0);
    print(sum(keep(x)) to B, sum(keep(x to S(1))) to B, sum(twice(iota(3))), sum(apply(relu, id(x))) to B, sum(apply(keep, x)) to B);
}
