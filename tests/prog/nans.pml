// A NaN is handed on by max and min, as constants and as data, along every dimension and over ranks. By hand.
//% ranks 1 (2) 3
const N : int = 2;
place all = ranks(0..N);
main {
    let z = zeros([1]);
    let nan = z / z;
    let x = concat([nan, full(2.0, [1]), nan, full(-1.0, [7])]);
    print(max(x), min(x), max(concat([full(2.0, [20]), nan])), min(concat([full(2.0, [20]), nan])));
    let m = broadcast(x, [3, 10]);
    print(max(m, dim = 0), min(m, dim = 1));
    let a = x to @all : S(0);
    let b = m to @all : S(0);
    let c = m to @all : S(1);
    print(max(a) to B, min(a) to B, max(b) to B, max(c, dim = 1) to B, min(b, dim = 0) to B);
    print(maximum(a, 0.0) to B, relu(a) to B, clamp(a, -0.5, 0.5) to B, minimum(0.0, a) to B);
    print(argmax(a to B), argmin(b) to B);
}
