//% test 1 2 (4)
// A mean of gradients, one of which is infinite, is lost; the next one begins anew.
import std.optim;
place p = ranks(0..4);
param w : f64[4] @ p = zeros();
fn f(x: f64[4]) { return sum(w * x) to B; }

test "the mean behind an infinite gradient" {
    for step in 0..6 {
        let x = if step == 1 => [1.0, 1.0 / 0.0, 1.0, 1.0] as f64 else [1.0, 2.0, 3.0, 4.0] as f64;
        let mean = optim.accumulate(grad(f)(x), step, n = 2);
        if step > 1 && step % 2 == 1 { assert_equal(mean[w] to B, [1.0, 2.0, 3.0, 4.0] as f64); }
    }
}
