// Loops of known turns that the running program leaves before a turn that would read or write outside of a tensor: they are accepted where a
// derivative is taken and where none is, and the values are the same.
//% ranks 1 2 (3)
//% also --loops=unrolled
config runs : int = 5;
place all = ranks(0..N);
const N : int = 1;
state x : f64[5, 3] @ all : B = reshape(iota(15) as f64, [5, 3]) * 0.1;
fn read(x) {
    var c = x[0];
    for i in 0..9 {
        if i == runs { break; }
        c = 0.5 * c + x[i];
    }
    return c;
}
fn written(x) {
    var y = x * 1.0;
    for i in 0..9 {
        if i == runs - 1 { break; }
        y[i + 1] = y[i] + x[i, 0];
    }
    return y;
}
// In a block that is computed again, and in a loop that is, indices are asked only where they were.
fn again(x) {
    var c = x[0];
    for i in 0..9 {
        if i == runs { break; }
        c = remat { tanh(c) * x[i] + c };
    }
    return sum(c);
}
fn turned(x) {
    var c = x[0];
    for i in 0..9 {
        if i == runs { break; }
        var r = 1.0;
        while r < 3.0 {
            c = tanh(c + r * x[i]);
            r = r + 0.75;
        }
    }
    return sum(c * c);
}
fn read_all(x) { return sum(read(x)); }
fn written_all(x) { return sum(written(x)); }
main {
    print(read(x));
    print(written(x));
    print(grad(read_all)(x));
    print(grad(written_all)(x)[1]);
    check_gradient(again, x);
    check_gradient(turned, x);
    print(again(x), turned(x));
}
