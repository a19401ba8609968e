// Draws of every kind: the same bits in every layout and on every number of ranks; simple statistics.
//% layouts 0 (1) 2 (4) 3
import std.nn;
const LAYOUT : int = 0;
const DP : int = [1, 2, 1, 2, 4][LAYOUT];
const TP : int = [1, 1, 3, 2, 1][LAYOUT];
place g = ranks(0..DP * TP) as (dp = DP, tp = TP);
param bias : f32[3, 5] @ g : (dp=S(0), tp=S(1)) = normal(std = 0.1);

main {
    let k = rng(11);
    print("ints", randint(k, [3, 4], -2, 5) to @g : (dp=S(0), tp=S(1)) to B, randint(fold(k, 1), [4], 0, 2, dtype = i64) to @g);
    let n = randint(k, [6000], 0, 6) to @g : (dp=S(0));
    for i in 0..6 { assert(abs((mean((n == i) as f32) to B) - 0.16667) < 0.02); }
    print("range", min(n) to B, max(n) to B);
    print("order", permutation(k, 9) to @g, permutation(k, 9) to @g : (dp=S(0), tp=S(0)) to B, permutation(fold(k, 1), 9) to @g);
    assert(all((sort(permutation(k, 100)) to @g) == (iota(100) as i32 to @g)));
    let logits = reshape(iota(20) % 7, [4, 5]) as f32 * 0.5 to @g : B;
    print("classes", categorical(k, logits), categorical(k, logits to (tp=S(1))), categorical(k, logits to (dp=S(0), tp=S(1))) to B,
          categorical(k, logits, dim = 0));
    let fair = categorical(k, full(0.0, [4000, 4]) to @g : (dp=S(0)));
    for i in 0..4 { assert(abs((mean((fair == i) as f32) to B) - 0.25) < 0.03); }
    let loaded = categorical(k, broadcast(ln((iota(4) + 1) as f32), [4000, 4]) to @g : (tp=S(1)));
    for i in 0..4 { assert(abs(mean((loaded == i) as f32) - (i + 1) / 10.0) < 0.03); }
    let h = nn.dropout(full(1.0, [2000]) to @g : (dp=S(0)), k, p = 0.25);
    assert(abs((mean(h) to B) - 1.0) < 0.05);
    print("dropout", h[0..8] to B, nn.dropout(bias, k) to B, nn.dropout(bias to B, k, p = 0.5));
    print("gumbel", abs((mean(gumbel(k, [4000]) to @g : (dp=S(0))) to B) - 0.5772) < 0.06, gumbel(k, [3], dtype = f64) to @g);
}
