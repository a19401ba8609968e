// Stencils of all 27 points around one, linear and not, each in one operator, on lines, squares and cubes of ranks: with their
// gradients and second derivatives.
//% long
//% layouts 0 1:2 2:4 3:8
//% rtol 1e-9
const LAYOUT : int = 0;
const X : int = [1, 1, 2, 2][LAYOUT];
const Y : int = [1, 2, 2, 2][LAYOUT];
const Z : int = [1, 1, 1, 2][LAYOUT];
place grid = ranks(0..X * Y * Z) as (x = X, y = Y, z = Z);

state u : f64[7, 6, 9] @ grid : (x=S(0), y=S(1), z=S(2)) = reshape((iota(378) * 37 % 101) as f64 * 0.02 - 1.0, [7, 6, 9]);

op weighted(u[i, j, k]) -> [i, j, k] = -0.125 * u[i - 1, j - 1, k - 1] - 0.055 * u[i - 1, j - 1, k] + 0.015 * u[i - 1, j - 1, k + 1]
    + 0.085 * u[i - 1, j, k - 1] - 0.115 * u[i - 1, j, k] - 0.045 * u[i - 1, j, k + 1]
    + 0.025 * u[i - 1, j + 1, k - 1] + 0.095 * u[i - 1, j + 1, k] - 0.105 * u[i - 1, j + 1, k + 1]
    - 0.035 * u[i, j - 1, k - 1] + 0.035 * u[i, j - 1, k] + 0.105 * u[i, j - 1, k + 1]
    - 0.095 * u[i, j, k - 1] - 0.025 * u[i, j, k] + 0.045 * u[i, j, k + 1]
    + 0.115 * u[i, j + 1, k - 1] - 0.085 * u[i, j + 1, k] - 0.015 * u[i, j + 1, k + 1]
    + 0.055 * u[i + 1, j - 1, k - 1] + 0.125 * u[i + 1, j - 1, k] - 0.075 * u[i + 1, j - 1, k + 1]
    - 0.005 * u[i + 1, j, k - 1] + 0.065 * u[i + 1, j, k] + 0.135 * u[i + 1, j, k + 1]
    - 0.065 * u[i + 1, j + 1, k - 1] + 0.005 * u[i + 1, j + 1, k] + 0.075 * u[i + 1, j + 1, k + 1];

op bent(u[i, j, k]) -> [i, j, k] = -0.125 * tanh(u[i - 1, j - 1, k - 1] * u[i, j, k]) - 0.055 * tanh(u[i - 1, j - 1, k] * u[i, j, k]) + 0.015 * tanh(u[i - 1, j - 1, k + 1] * u[i, j, k])
    + 0.085 * tanh(u[i - 1, j, k - 1] * u[i, j, k]) - 0.115 * tanh(u[i - 1, j, k] * u[i, j, k]) - 0.045 * tanh(u[i - 1, j, k + 1] * u[i, j, k])
    + 0.025 * tanh(u[i - 1, j + 1, k - 1] * u[i, j, k]) + 0.095 * tanh(u[i - 1, j + 1, k] * u[i, j, k]) - 0.105 * tanh(u[i - 1, j + 1, k + 1] * u[i, j, k])
    - 0.035 * tanh(u[i, j - 1, k - 1] * u[i, j, k]) + 0.035 * tanh(u[i, j - 1, k] * u[i, j, k]) + 0.105 * tanh(u[i, j - 1, k + 1] * u[i, j, k])
    - 0.095 * tanh(u[i, j, k - 1] * u[i, j, k]) - 0.025 * tanh(u[i, j, k] * u[i, j, k]) + 0.045 * tanh(u[i, j, k + 1] * u[i, j, k])
    + 0.115 * tanh(u[i, j + 1, k - 1] * u[i, j, k]) - 0.085 * tanh(u[i, j + 1, k] * u[i, j, k]) - 0.015 * tanh(u[i, j + 1, k + 1] * u[i, j, k])
    + 0.055 * tanh(u[i + 1, j - 1, k - 1] * u[i, j, k]) + 0.125 * tanh(u[i + 1, j - 1, k] * u[i, j, k]) - 0.075 * tanh(u[i + 1, j - 1, k + 1] * u[i, j, k])
    - 0.005 * tanh(u[i + 1, j, k - 1] * u[i, j, k]) + 0.065 * tanh(u[i + 1, j, k] * u[i, j, k]) + 0.135 * tanh(u[i + 1, j, k + 1] * u[i, j, k])
    - 0.065 * tanh(u[i + 1, j + 1, k - 1] * u[i, j, k]) + 0.005 * tanh(u[i + 1, j + 1, k] * u[i, j, k]) + 0.075 * tanh(u[i + 1, j + 1, k + 1] * u[i, j, k]);

fn linear(u) { let w = weighted(u) to (x=S(0), y=S(1), z=S(2)); return sum(sin(w) * w) to B; }
fn curved(u) { let w = bent(u) to (x=S(0), y=S(1), z=S(2)); return sum(w * w) to B; }
fn steep(u) { let g = grad(linear)(u); return sum(g * g * g) to B; }

main {
    let v = weighted(u) to (x=S(0), y=S(1), z=S(2));
    let w = bent(u) to (x=S(0), y=S(1), z=S(2));
    print(v[0, 0] to B, v[3, 2] to B, w[6, 5] to B, w[3, 3] to B);
    let g = grad(linear)(u);
    let h = grad(curved)(u);
    let k = grad(steep)(u);
    print(sum(g * g) to B, g[0, 5] to B, g[4, 2] to B);
    print(sum(h * h) to B, h[6, 0] to B, h[3, 3] to B);
    print(sum(k * k) to B, k[0, 0] to B, k[2, 3] to B);
}
