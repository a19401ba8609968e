// What is made of other values is printed as the source writes it: tuples, lists, structs and gradients, in each other, with numbers of the host, of
// graphs, texts and what only the compiler knows; in a function that is differentiated, too.
//% ranks 1 2 (3 4)
const N : int = 1;
place p = ranks(0..N);
struct Layer[on: place] { w : f64[2, 2] @ on = ones(), b : f32[2] @ on = zeros() }
struct Net[on: place] { up : Layer[on], name : f32 @ on = 3.0 }
param net : Net[p];
param ws : [2] f32[2] @ p = ones();
param scales : [3] f32 @ p = 2.0;
config n : int = 3;

fn loss() {
    var k = 0;
    while sum(ws[0]) * (k as f32) < n * 4.0 { k += 1; }
    print("k is", k, (k, ws[0]), [k, n], net.up);
    return sum(net.up.w as f32) * sum(ws[1]) * k + net.name;
}
fn one(x) { return x; }
fn chosen(i: int) { return sum(ws[i] * ws[i]) + scales[i]; }

main {
    let z = 0.0 * n;
    print((1, 2.5), [1, 2, n], ["a", "b c"], [], (true, none), (p, (1,)), [one([1.0, 0.1])]);
    print([ws[0] * 2.0, ws[1] / z], ([1.0 / z, -1.0 / z, z / z, 1.0 / 3.0], sum(ws[0])), shape(net.up.w), f32, (net.up.w / 3.0,));
    print(net, ws, end = "|\n");
    let (l, g) = value_and_grad(loss)();
    print(l, g);
    print((l, g), end = "!\n");
    print([net.up.w, net.up.w]);
    print(grad(chosen)(n - 2), (value_and_grad(chosen)(n - 3),));
    for i in 0..n { print(i, [i, i * i], (i / 2, [ones([2]) * i])); }
    print([[1, 2], [3]], [zeros([1200])]);
}
