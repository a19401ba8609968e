//% test 1 2
// A function that updates a state and is differentiated updates it once, whatever it is differentiated by.
place all = ranks(0..2);
param w : f32[3] @ all = ones();
state count : f32 @ all = zeros();
state total : f32[3] @ all = zeros();

fn by_argument(x: f32[3] @ all) -> f32 @ all {
    count = count + 1.0;
    total = total + x;
    return sum(x * x);
}
fn by_param(x: f32[3] @ all) -> f32 @ all {
    count = count + 10.0;
    return sum(w * x);
}

test "an argument" {
    let x = iota(3) as f32 to @all;
    let g = grad(by_argument)(x);
    assert_close(g, 2.0 * x);
    assert(count == 1.0);
    assert_close(total, x);
    let (y, h) = value_and_grad(by_argument)(x);
    assert(count == 2.0);
    assert(y == 5.0);
    let (z, d) = jvp(by_argument)(x, x);
    assert(count == 3.0);
    assert_close(total, 3.0 * x);
}

test "a param" {
    let x = iota(3) as f32 to @all;
    let g = grad(by_param)(x);
    assert_close(g.w, x);
    assert(count == 10.0);
}
