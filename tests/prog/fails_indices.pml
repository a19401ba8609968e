// An index that only the running program knows and that is outside ends the program, whatever is indexed, however it is laid out.
//% ranks 1 4 (2 3)
//% fails [--case=1 --k=9] fails_indices.pml:48:41: error: index 9 is out of range, dimension 0 of `x` has 6 elements
//% fails [--case=2 --k=3] fails_indices.pml:49:48: error: index 4 is out of range, dimension 1 of `w` has 4 elements
//% fails [--case=3 --k=-7] fails_indices.pml:50:35: error: index -7 is out of range, dimension 0 of `x` has 6 elements
//% fails [--case=4 --k=4] fails_indices.pml:51:40: error: index 4 is out of range, dimension 1 of `v` has 4 elements
//% fails [--case=5 --k=6] fails_indices.pml:52:45: error: index 6 is out of range, dimension 0 of `w` has 6 elements
//% fails [--case=6 --k=-1] fails_indices.pml:53:45: error: index -1 is out of range, dimension 0 of `v` has 6 elements
//% fails [--case=7 --k=9] fails_indices.pml:54:52: error: index 9 is out of range, `embed` takes 0 to 5
//% fails [--case=8 --k=4] fails_indices.pml:55:47: error: index 4 is out of range, `take` takes 0 to 3
//% fails [--case=9 --k=6] fails_indices.pml:56:53: error: index 6 is out of range, `take_along` takes 0 to 5
//% fails [--case=10 --k=4] fails_indices.pml:57:48: error: index 4 is out of range, `pick` takes 0 to 3
//% fails [--case=11 --k=6] fails_indices.pml:58:53: error: index 6 is out of range, `pick` takes 0 to 5
//% fails [--case=12 --k=4] fails_indices.pml:59:40: error: index 4 is out of range, `loss.cross_entropy` takes 0 to 3
//% fails [--case=13 --k=5] fails_indices.pml:60:40: error: index 5 is out of range, `loss.cross_entropy` takes 0 to 3
//% fails [--case=14 --k=3] fails_indices.pml:61:40: error: index 3 is out of range, `one_hot` takes 0 to 2
//% fails [--case=15 --k=5] fails_indices.pml:62:52: error: index 5 is out of range, `scatter_add` takes 0 to 4
//% fails [--case=16 --k=2] fails_indices.pml:63:53: error: index 2 is out of range, `add_along_at` takes 0 to 1
//% fails [--case=17 --k=4] fails_indices.pml:37:48: error: index 4 is out of range, dimension 1 of `v` has 4 elements
//% fails [--case=18 --k=6] fails_indices.pml:65:93: error: index 6 is out of range, dimension 0 of `t` has 6 elements
//% fails [--case=19 --k=9] fails_indices.pml:43:66: error: index 9 is out of range, dimension 0 of `w` has 6 elements
//% fails [--case=20 --k=-3] fails_indices.pml:44:58: error: index -3 is out of range, `loss.cross_entropy` takes 0 to 3
//% fails [--case=21 --k=6] fails_indices.pml:45:72: error: index 6 is out of range, dimension 0 of `v` has 6 elements
//% fails [--case=22 --k=6] fails_indices.pml:43:66: error: index 6 is out of range, dimension 0 of `w` has 6 elements
//% fails [--case=23 --k=-7] fails_indices.pml:70:80: error: index -7 is out of range, dimension 0 of `w` has 6 elements
//% fails [--case=24 --k=4] fails_indices.pml:71:66: error: index 5 is out of range, dimension 1 of `t` has 4 elements
import std.loss;
const N : int = 1;
place p = ranks(0..N);
config case : int = 0;   // 0: all, which are right with k = 0
config k    : int = 0;

param x : f32[6] @ p : S(0) = ones();
param w : f32[6, 4] @ p : S(0) = uniform();
param v : f32[6, 4] @ p : S(1) = uniform();

op row(a[m, n], i[j]: int) -> [j] = 2.0 * a[0, i[j]];
op counted(i[j]: int, n: int) -> [i[j] < n] = sum[j] 1.0;

// All elements but the last are 0.
fn indices(n: int) { return (iota(n) + 1 - n == 0) as i32 * (k as i32); }

fn looked_up[n](i: i32[n] @ p : B) -> f32 @ p : B { return sum(w[i] * 3.0) to B; }
fn entropy[n](i: i32[n] @ p : B) -> f32 @ p : B { return loss.cross_entropy(w, i to S(0)) to B; }
fn twice[n](i: i32[n] @ p : B) -> f32 @ p : B { let y = remat { tanh(v[i, 1..] * 2.0 to B) }; return sum(y * y) to B; }

main {
    if case == 0 || case == 1 { print(x[k] to B); }
    if case == 0 || case == 2 { print(sum(w[1, k + 1]) to B); }
    if case == 0 || case == 3 { x[k] = 2.0; print(x to B); }
    if case == 0 || case == 4 { v[1.., k] += iota(5) as f32; print(v to B); }
    if case == 0 || case == 5 { print(sum(w[indices(5) to @p]) to B); }
    if case == 0 || case == 6 { print(sum(v[indices(5) to @p, 1..3]) to B); }
    if case == 0 || case == 7 { print(sum(embed(w, indices(5) to @p : B)) to B); }
    if case == 0 || case == 8 { print(take(w, indices(5) to @p) to B); }
    if case == 0 || case == 9 { print(take_along(w, reshape(indices(4), [1, 4]) to @p : B, dim = 0) to B); }
    if case == 0 || case == 10 { print(pick(v, indices(6) to @p) to B); }
    if case == 0 || case == 11 { print(pick(w to B, indices(4) to @p : S(0), dim = 0) to B); }
    if case == 0 || case == 12 { print(loss.cross_entropy(w, indices(6) to @p : S(0)) to B); }
    if case == 0 || case == 13 { print(loss.cross_entropy(v to B, indices(6) to @p : B, smoothing = 0.1, ignore = -1)); }
    if case == 0 || case == 14 { print(one_hot(indices(5) to @p : S(0), 3) to B); }
    if case == 0 || case == 15 { print(scatter_add(indices(6) to @p : S(0), w, rows = 5) to B); }
    if case == 0 || case == 16 { print(add_along_at(indices(4) + 0 * iota(4) as i32 to @p : B, w[0] to B, n = 2) to B); }
    if case == 0 || case == 17 { print(row(v, indices(3) to @p) to B, counted(indices(3) to @p : S(0), n = 4) to B); }
    if case == 0 || case == 18 { let i = indices(5) to @p : B; let t = w to B; let y[n] = t[i[n], 2] - t[1, i[i[n]]]; print(y); }
    if case == 0 || case == 19 { let g = grad(looked_up)(indices(5) to @p : B); print(g.w to B); }
    if case == 0 || case == 20 { let g = grad(entropy)(indices(6) to @p : B); print(g.w to B); }
    if case == 0 || case == 21 { let g = grad(twice)(indices(5) to @p : B); print(g.v to B); }
    if case == 0 || case == 22 { let i = indices(8) to @p : B; let g = microbatch(2) { grad(looked_up)(i) }; print(g.w to B); }
    if case == 0 || case == 23 { let i = indices(5); let first = i[4]; print(w[first] to B, first); }
    if case == 0 || case == 24 { let t = w to B; let y[n] = t[n, k + 1] - t[n, 0]; print(y); }
}
