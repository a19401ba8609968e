place p = ranks(0..4);
param x : f32[2, 3, 9, 8] @ p : S(2) = normal();
state y : f32[2, 3, 7, 6] @ p : S(2) = zeros();
op around(u[i]) -> [i] = u[(i - 1)?] + u[(i + 1)?];
param v : f32[8] @ p : S(0) = normal();
fn kept(u) -> f32[8] @ p : S(0) { return around(u); }       //~ PML0304@42
main {
    y = max_pool2d(x, 3, stride = 1);                       //~ PML0304@9
    print(relu(max_pool2d(x, 3)));                          //~ PML0304@16
    print(sum(around(v)) to B);                             //~ PML0304@15
    print(sum(kept(v)) to B);
    for t in 0..3 { v = around(v); }                        //~ PML0304@25
}
