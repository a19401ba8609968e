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
// So are slices, elements of lists that are read and written, positions of index notation.
fn sliced(x) {
    var c = x[0];
    for i in 0..9 {
        if i == runs { break; }
        c = 0.5 * c + x[i..i + 1][0];
    }
    return c;
}
fn put_slices(x) {
    var y = x * 1.0;
    for i in 0..9 {
        if i == runs - 1 { break; }
        y[i + 1..i + 2] = y[i..i + 1] + x[i, 0];
    }
    return y;
}
fn listed(x) {
    var l = [x[0], x[1], x[2], x[3], x[4]];
    for i in 0..9 {
        if i == runs - 1 { break; }
        l[i + 1] = 0.5 * l[i] + x[i];
    }
    return l[4];
}
fn noted(x) {
    var c = x[0];
    for i in 0..9 {
        if i == runs { break; }
        let d[j] = x[i, j] * c[j];
        c = 0.5 * c + d;
    }
    return c;
}
fn all_of(x) { return sum(sliced(x)) + sum(put_slices(x) ** 2) + sum(listed(x)) + sum(noted(x)); }
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
    print(sliced(x), put_slices(x), listed(x), noted(x));
    print(grad(all_of)(x));
    check_gradient(all_of, x);
}
