// Loops without a known count in each other and in branches, differentiated: how often the inner ones turned is computed again where what they do
// is. A loop that is left behind a `return`. Turns of known loops that change what a branch of the host has assigned.
//% ranks 1 2 (3 4)
//% also --loops=unrolled
const N : int = 1;
config n : int = 1;
place p = ranks(0..N);

fn deep(x: f64[2]) {
    var y = x * 1.0;
    var k = 0;
    if n > 0 {
        while sum(y) < 5.0 {
            k = k - 3;
            while k < 6 {
                k = k + 1;
                var j = 0;
                while j < k { y = y * 1.05; j = j + 2; if n > 0 { while sum(y) < 0.7 { y = y * 1.01 + 0.001 * y * y; } } }
            }
            y = y * 1.5 + 0.01 * y * y;
        }
    }
    return sum(y);
}
fn linear(x: f64[2]) { var y = x; if n > 0 { var k = 0; while k < 3 * n { var j = 0; while j < k { y = y * 1.5; j = j + 1; } k = k + 1; } } return sum(y); }
fn left(x: f64[2]) {
    var y = x * 1.0;
    for i in 0..3 { y = y + 1.0; if sum(y) > 4.0 + n { return (y, i); } if i == 1 { continue; } y = y * 1.5; if i == 2 { break; } y = y + 0.5; }
    for i in 0..3 { if sum(y) > 100.0 { return (y * 2.0, 10 + i); } y = y * x; break; }
    return (y, -1);
}
fn length_left(x: f64[2]) { let (y, i) = left(x); return sum(y * y) * (1.0 + i); }

fn counted(x: f64[2]) {
    var k = 0;
    var most = 0.0;
    if n > 0 { k = 1; most = 0.5; }
    for i in 0..3 { if sum(x) > -100.0 { k = k + 5; most = most * 2.0; } }
    for i in 0..2 { k = k * 2; if i == n { k = k + 100; } }
    return x * k + most;
}

main {
    print(counted([0.5, -0.3] as f64 to @p));

    for s in [1.0, 0.5, -3.0, -9.0] {
        let x = [0.5, -0.3] as f64 * s to @p;
        print(left(x), value_and_grad(length_left, wrt = 0)(x));
        check_gradient(length_left, x);
        if s > 0.0 {
            print(value_and_grad(deep, wrt = 0)(x), value_and_grad(linear, wrt = 0)(x));
            check_gradient(deep, x, rtol = 1e-5);
        }
    }
}
