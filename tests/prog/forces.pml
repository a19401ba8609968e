// Energies of atoms by a network over distances and angles, forces as its derivatives, and the derivative of a loss of both: second derivatives, for each line of a
// batch (SchNet, Schütt et al., 2017; DimeNet, Gasteiger et al., 2020), and a layer that moves the atoms (EGNN, Satorras et al., 2021). Values: expected.py (torch).
//% ranks 1 2 (3 4)
//% rtol 2e-5
import std.nn;
const N : int = 1;
const A : int = 4;
const D : int = 5;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f64 / 504.0 - 1.0, sizes); }
param kinds : f64[3, D] @ p = numbers([3, D], 37);
param f1 : f64[6, D] @ p = numbers([6, D], 53);
param f2 : f64[D, D] @ p = numbers([D, D], 71);
param inner : f64[D, D] @ p = numbers([D, D], 91);
param angle : f64[2, D] @ p = numbers([2, D], 13);
param out : f64[D] @ p = numbers([D], 331);
param pair : f64[2 * D + 1, D] @ p = 0.5 * numbers([2 * D + 1, D], 97);
param way : f64[D] @ p = 0.3 * numbers([D], 59);
state r : f64[6, A, 3] @ p : S(0) = 1.2 * numbers([6, A, 3], 101);
state z : i64[6, A] @ p : S(0) = reshape(iota(6 * A) * 5 % 7 % 3, [6, A]);
state e : f64[6] @ p : S(0) = numbers([6], 29);
state f : f64[6, A, 3] @ p : S(0) = numbers([6, A, 3], 17);

fn near(d) { return where(d < 2.5, 0.5 * (cos(pi * d / 2.5) + 1.0), 0.0); }
fn energy(r: f64[A, 3], z: i64[A]) {
    let off = 1.0 - eye(A, dtype = f64);
    let to_ = unsqueeze(r, dim = 1) - r;
    let d = sqrt(sum(square(to_), dim = 2) + eye(A, dtype = f64));
    let waves = exp(-2.0 * square(unsqueeze(d, dim = 2) - linspace(0.0, 2.5, 6) as f64));
    let reach = near(d) * off;
    let w = (softplus(waves @ f1) @ f2) * unsqueeze(reach, dim = 2);
    var h = nn.embedding(kinds, z);
    for layer in 0..2 {
        let x = h @ inner;
        let m[i, k] = sum[j] w[i, j, k] * x[j, k];
        h = h + softplus(m);
    }
    let u = to_ / unsqueeze(d, dim = 2);
    let c[i, j, k] = sum[x] u[i, j, x] * u[i, k, x];
    let t = acos(clamp(c, -0.999, 0.999));
    let basis = stack([cos(t), cos(2.0 * t)], dim = 3);
    let g[i, f] = sum[j, k, b] reach[i, j] * reach[i, k] * off[j, k] * basis[i, j, k, b] * angle[b, f];
    return sum(tanh(h + g) @ out);
}
fn moved(r, z) {
    let h = nn.embedding(kinds, z);
    let to_ = unsqueeze(r, dim = 1) - r;
    let both = concat([broadcast(unsqueeze(h, dim = 1), [A, A, D]), broadcast(h, [A, A, D]), unsqueeze(sum(square(to_), dim = 2), dim = 2)], dim = 2);
    let m = silu(both @ pair) * unsqueeze(1.0 - eye(A, dtype = f64), dim = 2);
    return r + sum(to_ * unsqueeze(tanh(m @ way), dim = 2), dim = 1) / 3.0;
}
fn of_one(r, z, e, f) {
    let (y, d) = value_and_grad(energy, wrt = "r")(r, z);
    return (square(y - e) + 10.0 * mean(square(d + f)) + mean(square(moved(r, z) - f)), d);
}
fn objective(r, z, e, f) {
    let (l, d) = vmap(of_one)(r, z, e, f);
    return (mean(l) to B, d);
}

main {
    let ((l, d), g) = value_and_grad(objective)(r, z, e, f);
    print(l as f32, (d to B)[1] as f32);
    print(g.kinds as f32, g.f1[2] as f32, g.angle as f32, g.out as f32, g.pair[3] as f32, g.way as f32);
    print((grad(objective, wrt = "r")(r, z, e, f) to B)[4] as f32);
}
