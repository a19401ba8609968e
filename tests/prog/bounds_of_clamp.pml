// Bounds of clamp that are tensors, of elements and of columns, in index notation too: values and derivatives, rows split. Values: expected.py (torch).
//% ranks 1 2 (3) 4
//% rtol 1e-5
const N : int = 1;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
state x : f32[6, 4] @ p : S(0) = numbers([6, 4], 337);
state low : f32[4] @ p = numbers([4], 91) - 0.1;
state high : f32[6, 4] @ p : S(0) = 0.9 + 0.4 * numbers([6, 4], 53);

fn objective(x, low, high) { return finish(sum(clamp(x, low, high) * (x + 2.0))); }

main {
    let (l, (dx, dl, dh)) = value_and_grad(objective)(x, low, high);
    print(l, dx to B, dl to B, dh to B);
    let y[i, j] = clamp(x[i, j], low = low[j], high = 0.2);
    print(y to B, clamp(x, -0.5, high) to B);
}
