// jvp with wrt: tangents of the arguments that are named, in the order of the names; others, ints too, stay as they are.
//% ranks 1 2
const N : int = 1;
place all = ranks(0..N);
fn f(x: f64[], y: f64[3], labels) { return x * x * sum(y[labels] * [1.0, 2.0, 3.0]); }
fn slope(x: f64[], y: f64[3], labels) { return grad(f, wrt = "x")(x, y, labels); }

main {
    let x = 2.0 as f64;
    let y = [1.0, 10.0, 100.0] as f64;
    let labels = [2, 0, 1] as i32;
    print(jvp(f, wrt = "x")(x, y, labels, 1.0));
    print(jvp(f, wrt = ("y", "x"))(x, y, labels, [1.0, 0.0, 0.0], 1.0));
    print(jvp(f, wrt = 1)(x, y, labels, [0.0, 0.0, 1.0]));
    print(jvp(f)(x, y, labels, 1.0, [1.0, 0.0, 0.0], 0));
    print(jvp(slope, wrt = 0)(x, y, labels, 1.0));
    print(jvp(f, wrt = "y")(x, y to @all, labels to @all, [0.0, 1.0, 0.0])[1]);
}
