// Triangles, stacks, dimensions of one element, lists that are joined; log1p and expm1 where they are small. Values: expected.py (torch).
//% ranks 1 3 (2 4)
//% bits shapes_more
const N : int = 1;
place p = ranks(0..N);

fn collected(x) {
    var rows = [];
    var y = x;
    for i in 0..3 {
        y = tanh(y * 0.1);
        rows = rows + [y];
    }
    return stack(rows, dim = 1);
}
fn below(x: f32[3, 4] @ p : S(0)) { return sum(tril(x) ** 3) to B; }
fn both(x: f32[3, 4] @ p : S(0)) { return sum(collected(x) * collected(x)) to B; }
fn near(x: f32[3, 4] @ p : S(0)) { return sum(log1p(x * 1e-6) * expm1(x * 1e-6)) to B; }

main {
    let x = reshape(iota(12) as f32, [3, 4]) - 3.0 to @p : S(0);
    print(tril(x) to B, triu(x) to B, tril(x, 1) to B, triu(x, diagonal = -1) to B, grad(below)(x) to B);
    print(eye(3), eye(2, i32), stack([x, x * 2.0], dim = 0) to B, stack([x, x]) to B, grad(both)(x) to B);
    print(unsqueeze(x, 1).shape == [3, 1, 4], [2] + x.shape + [5] == [2, 3, 4, 5], stack([x > 0.0, x < 5.0], dim = 0) to B);
    print(log1p(x * 1e-7) * 1e7 to B, expm1(x * 1e-7) * 1e7 to B, log1p(maximum(x, -3.0) + 2.5) to B, expm1(x) to B, grad(near)(x) * 1e12 to B);
    print(softplus(-30.0 - x) * 1e13 to B, log1p(1e-12) * 1e12, expm1(1e-12) * 1e12);
    for i in 1..3 { print(log1p(1e-12 * i) * 1e12, expm1(1e-12 * i) * 1e12); }
}
