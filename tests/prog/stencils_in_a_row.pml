// Stencils, rolls and sums of logarithms one after the other, of what is stored and of numbers: each step reads the one before at several
// places, so a step computed again at each of them would make kernels, and compilation, grow as a power of the number of steps.
// Loops, whose steps are stored, give the same.
//% ranks 1 2
const N : int = 1;
const STEPS : int = 14;
place p = ranks(0..N);
param x : f64[16, 12] @ p : S(1) = normal(std = 1.0);
param line : f64[300] @ p = normal(std = 1.0);
op along(u[i, j]) -> [i, j] = 0.25 * (tanh(u[i - 1, j]) + u[i + 1, j]) - 0.5 * u[i, j];

fn after(u, n: int) { return if n == 0 => u else after(along(u), n - 1); }
fn rolled(u, n: int) { return if n == 0 => u else rolled(0.5 * u + 0.25 * roll(u, n, dim = 0) + max(u, 0.1), n - 1); }
fn squares(u, n: int) { return finish(sum(square(after(u, n)))); }
fn last(u) { return logcumsumexp(u)[250]; }

main {
    var u = x;
    var numbers = reshape(iota(192) as f64, [16, 12]) to @p : S(1);
    for i in 0..STEPS {
        u = along(u);
        numbers = along(numbers);
    }
    assert_close(after(x, STEPS), u);
    assert_close(after(reshape(iota(192) as f64, [16, 12]) to @p : S(1), STEPS), numbers);
    print(sum(rolled(x, STEPS)) to B, sum(abs(grad(squares, wrt = 0)(x, 8))) to B);
    assert_close(grad(last, wrt = 0)(line)[0..251], softmax(line[0..251]));
}
