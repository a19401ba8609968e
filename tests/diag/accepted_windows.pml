// What is read around shards, with the `to` that fetches it, or without where it lies within them.
place p = ranks(0..4);
param x : f32[2, 3, 8, 6] @ p : S(2) = normal();
param v : f32[9] @ p : S(0) = normal();
op around(u[i]) -> [i] = u[i - 1] * u[i + 1];
fn both(u) { return 2.0 * around(u) + u; }
main {
    print(sum(max_pool2d(x)) to B, sum(avg_pool2d(x)) to B);
    print(sum(max_pool2d(x, 3) to S(2)) to B);
    v = both(v) to S(0);
    print(relu(v[1..6]) to S(0) to B, (v[0..8] * v[1..9]) to B);
    for t in 0..3 { v = around(v) to S(0); }
}
