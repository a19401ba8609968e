// Loops over constants and numbers of the host, whose results several regions use: each computes them once more. What a loop counts until a
// tensor is large is known where the tensor is; a number that one branch of two makes a tensor.
//% ranks 1 2 (3 4)
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
config n : int = 3;

fn sums(x) { return (sum(x), prod(x)); }
fn known(a) { var x = a; for i in 0..2 { x[i] = sin(x[i]) * 2.0; if i == n { x = -x; } } return sums(x); }
fn asked(a) { var x = a; while sum(x) < 20.0 { x = x * 2.0; for i in 0..3 { x[i] = x[i] + i; } } return sums(x); }
fn counted(a) { var x = a; var y = a; for i in 0..n { (x, y) = (y * 2.0, x); if sum(x) > 30.0 { x = -x; } } return sums(x - y); }

param w : f32[3] @ p = [1.0, 2.0, 3.0];
fn until_large() { var k = 0; var y = w; while sum(y) < 10.0 * n { y = y * 2.0; k = k + 1; } return (sum(y), k); }
fn number(x: f32[3] @ p) { var r = 0.0; if n > 3 { r = 1.0; } if n < 4 { r = sum(x * x); } return r; }

main {
    let ((l, k), g) = value_and_grad(until_large)();
    print(l, k);
    print(g.w, k, k + n, grad(number, wrt = "x")(w));
    let a = [1.0, 2.0, 3.0] as f32;
    for f in [known, asked, counted] {
        let (y, z) = f(a * n);
        print(y, z);
        print(sum(y * (ones([4]) to @p)), z);
    }
    let (y, z) = asked(a);
    for i in 0..n { print(y * i, counted(a + z * i)[1]); }
}
