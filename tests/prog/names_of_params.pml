// What `let` of params is: of one its value then, of a struct or list of them another name, through which they are read and assigned;
// what `var` holds, and a tuple or a struct that is made of them, are values.
//% ranks 1 3 (2 4)
const N : int = 1;
place p = ranks(0..N);
struct Layer { w : f32[3] @ p = [1.0, 2.0, 3.0], b : f32 @ p = 0.5 }
param layers : [3] Layer;
param net : Layer;
param v : f32[3] @ p = full(3.0);
fn f(l: Layer) { return sum(l.w * l.w) * l.b; }
main {
    let old = v;
    let named = [v, net.w];
    let pair = (v, net.w);
    let made = Layer(w = v, b = net.b);
    var copy = net;
    v = v * 2.0;
    net.w = net.w + 1.0;
    print(old, pair[0], made.w, copy.w);
    print(named[0], named[1]);
    let layer = layers[2];
    layer.w = layer.w * 10.0;
    print(layers[2].w, layer.w);
    let same = net;
    for i in 0..3 {
        let (l, g) = value_and_grad(f)(same);
        net -= 0.1 * g;
        print(l to B, same.w);
    }
}
