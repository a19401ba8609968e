// A grid, its parts and another shape of its ranks, compiled for fewer ranks than it has: axes get shorter, values stay.
//% fold 1 (2) 3 (4 5) 6 (8)
//% rtol 1e-4
place grid = ranks(0..8) as (dp = 2, tp = 4);
place line = ranks(0..8) as (x = 8);
place top = grid[dp = 0];
place odd = grid[tp = 1..3];
place some = ranks([6, 1, 3]);
struct Layer[n, m, on: place] { w : f32[n, m] @ on : (tp=S(1)) = normal(std = 0.3), b : f32[m] @ on : (tp=S(0)) = zeros() }
param first : Layer[6, 7, top];
param second : Layer[7, 5, grid[dp = 1]];

fn apply[n, m, on: place](x, l: Layer[n, m, on]) { return x @ l.w + l.b; }
fn loss(x: f32[9, 6] @ top) -> f32 @ grid[dp = 1] : B {
    let h = relu(apply(x, first));
    return mean(apply(h to @grid[dp = 1] : B, second) ** 2.0) to B;
}

main {
    let x = uniform(rng(1), [9, 6]);
    let (l, g) = value_and_grad(loss)(x to @top);
    print(l, g.first.w to B, g.second.b to B);
    let y = x to @grid : (dp=S(0), tp=S(1));
    print(sum(y) to B, y to @odd : (tp=S(0)) to B, y to @line : (x=S(0)) to B, y to @some : S(1) to B);
    print((y to @grid[dp = 1, tp = 3]) to B, (y to @odd[dp = 0] : (tp=P)) to B, sort(y to @odd : (dp=S(0)), dim = 1) to B);
}

test "a grid folded" {
    let y = uniform(rng(2), [5, 5]) to @grid : (dp=S(0), tp=S(1));
    assert_close(sum(y) to B, sum(y to @grid[tp = 2]) to @grid : B);
}
