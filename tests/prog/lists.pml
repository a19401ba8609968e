// Lists as tensors: of every element type and depth, where a type is declared, beside tensors, as indices and updates.
//% ranks 1 (2) 3
//% bits lists
const N : int = 1;
const K : int = 2;
place all = ranks(0..N);

param w : f32[3] @ all = [0.5, -1.0, 2.0];
param m : f64[2, 3] @ all : S(1) = [[1, 2, 3], [4, 5, 6]];

fn joined(x, n: int) {
    var parts = [];
    for i in 0..n { parts = parts + [x * (i + 1)]; }
    return parts;
}
fn shifted(x: f32[3] @ all : S(0)) { return x + [1.0, 2.0, 3.0]; }
fn error[n](x: f32[n, 3] @ all : S(0)) -> f32 @ all : B { return sum((x @ w) * [1.0, 10.0]) to B; }

main {
    let x = [[1.0, 2.0, 3.0], [4.0, 5.0, K]] as f32 to @all : S(0);
    print("literals", x to B, [1.5, -1.5] as i32, [300, -1] as u8, [true, false] as i64, [0, 2] as bool, [[[1]], [[2]]] as f64);
    print("params", w, m to B, shifted(w) to B, grad(error)(x).w);
    print("beside", x * [1, 2, 3] to B, [1.0, 2.0, 3.0] / w, x @ [1.0, 0.0, 1.0] to B, (x == [[1, 0, 3], [4, 0, 2]]) to B);
    print("operands", where([true, false, true] to @all : S(0), w, [7.0, 8.0, 9.0]) to B, relu([-1.0, 1.0]), take(w, [2, 0]), w[[0, 0, 1]]);
    print("shapes", reshape([1, 2, 3, 4], [2, 2]) to @all : S(0) to B, permute([[1, 2]], [1, 0]), x.shape as f32 / 2.0, sum([1.5, 2.0] to @all : S(0)) to B);
    var y = x;
    y[0] = [9.0, 8.0, 7.0];
    y[.., 1..] += [[1.0, 2.0], [3.0, 4.0]];
    let z : f32[0] = [];
    print("updates", y to B, concat([z, [1.0] as f32]));
    w = [1.0, 2.0, 3.0];
    assert_equal(w, [1.0, 2.0, 3.0]);
    assert_close(w, [1.0, 2.0, 3.0], atol = 1e-6);

    print("joined", ([1] + [2, 3]) as i32, zeros([2] + x.shape).shape == [2] + [2, 3] + [], concat(joined(x to B, 2)));

    print("slices", [1, 2, 3, 4][1..3], length([1, 2][2..]), x.shape[..1] + [7], (1, 2.5, "z")[-2..], joined(x to B, 3)[1..-1], zeros(x.shape[0..1]).shape);

    // A name of a placement or variable hides no function.
    let max = max(x);
    print("names", all(x > 0.5, dim = 0) to B, max to B, max(x, dim = 1) to B);
}
