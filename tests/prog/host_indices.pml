// What main takes by an int that only the running program knows: one of a list of params, of structs of them too, slices between names, and
// sums of the host that are said to be whole. Blocks of lines that ranks hold parts of, in a loop that stays one.
//% fold 1 2 (4)
//% also --loops=unrolled
place all = ranks(0..4);
struct Layer { w : f32[3] @ all = [1.0, 2.0, 3.0], b : f32 @ all = 0.5 }
param ws : [4] f32[3] @ all = ones();
param layers : [3] Layer;
config n : int = 3;

fn blocks(x: f32[24, 2] @ all : S(0), w: f32[2] @ all) -> f32 @ all {
    var h = zeros([4, 2]) to @all;
    for i in 0..6 { h = h * 0.5 + (x[4 * i..4 * i + 4] * w to B); }
    return sum(h);
}
fn apply(l: Layer, x: f32[3] @ all) -> f32 @ all { return sum(l.w * x) + l.b; }
param w : f32[2] @ all = [1.0, 2.0];

main {
    ws[0] = ws[0] * 2.0;
    ws[1] = ws[1] + 1.0;
    layers[2].w = layers[2].w * 10.0;
    for i in 0..n { print(i, ws[i]); }
    var i = 3;
    while i >= 0 { print(sum(ws[i]), sum(ws[i - 4])); i -= 1; }
    for k in 0..n { print(apply(layers[k], ws[k + 1])); }
    let (l, g) = value_and_grad(apply)(layers[n - 1], ws[1]);
    print(l);

    let a = iota(10) as f32 to @all;
    let lo = n - 1;
    let hi = n + 2;
    print(a[lo..hi], a[lo..lo + 3]);
    for k in 0..n {
        let begin = 2 * k;
        let end = 2 * k + lo - n + 3;
        print(a[begin..end]);
    }
    var s = 0.0;
    for k in 0..n { s += k * 0.5 + sum(ws[k]); }
    print(s to B, (s, 1) to B);
    print(value_and_grad(blocks)(reshape((iota(48) % 7) as f32, [24, 2]) to @all : S(0), w));
}
