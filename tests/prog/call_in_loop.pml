// A layout parameter is what the first argument makes it, also where that stands outside of the loop that the call is in.
//% layouts 0 1 (2) (3)
//% also --loops=unrolled
const LAYOUT : int = 0;
place all = ranks(0..LAYOUT + 1);

fn next[l: layout](p: f32[..] : l, x) { return roll(x, 2, dim = 0) to l; }

fn around(x) {
    var k = x;
    var s = x;
    for i in 1..4 {
        k = next(x, k);
        s = s + k * (i as f32);
    }
    return s;
}

fn loss(x: f32[8] @ all : S(0)) -> f32 @ all : B {
    let s = around(x);
    return sum(s * s * s) to B;
}

main {
    let x = (iota(8) as f32) to @all : S(0);
    print(around(x) to B);
    let (l, g) = value_and_grad(loss, wrt = [0])(x);
    print(l, g to B);
}
