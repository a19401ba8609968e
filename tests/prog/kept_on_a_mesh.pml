// What is on no rank yet and is kept from region to region is where the params are, on a mesh as on ranks in a row.
//% fold 1 (2) (3) 4
place grid = ranks(0..4) as (outer = 2, inner = 2);
param w : f32[8, 8] @ grid : (outer=S(0), inner=S(1)) = normal(std = 0.3);
fn ten(x) {
    var h = x;
    for i in 0..10 { h = tanh(h @ (w to B)); }
    return h;
}
main {
    let x = normal(rng(1), [4, 8]);
    var h = x;
    for i in 0..10 {
        h = tanh(h @ (w to B));
        print(sum(h) < 100.0);
    }
    assert_equal(h, ten(x));
    var z = [1.0, 2.0, 3.0] as f32;
    for i in 0..3 { z = 2.0 * z; }
    assert_equal(z, [8.0, 16.0, 24.0] as f32);
}
