// Indices that are computed of numbers alone are checked when compiling; `?` says that one may be outside.
import std.loss;
import std.nn;
param w : f32[3, 4] = zeros();
config k : int = 0;

op row(t[v, d], i[n]: int) -> [n, d] = t[i, d];
op share(t[v, d], i[n]: int < v) -> [n] = sum[v, d] where(v == i, t, 0);
op positions(i[n]: int, x[n]) -> [i < 2] = sum[n] x;

main {
    print(embed(w, [0, 3] as i32)); //~ PML0210
    print(w[[1, -1] as i32]); //~ PML0210
    print(nn.embedding(w, (iota(2) * 3) as i32)); //~ PML0210
    print(loss.cross_entropy(w, [1, 4, 0] as i32)); //~ PML0210
    print(one_hot([5] as i32, 5), one_hot(5, 5)); //~ PML0210@11 PML0210@35
    print(row(w, [3] as i32)); //~ PML0210
    print(share(w, [3] as i32)); //~ PML0210
    print(positions([0, 2, 1] as i32, [1.0, 2.0, 3.0])); //~ PML0210
    let j = [0, 7] as i32;
    let y[n] = w[j[n], 0]; //~ PML0210
    print(y);
    print(embed(w, [0, 3]?), w[[1, -1]?], one_hot(([5] as i32)?, 5), row(w, j?), share(w, j?));
    print(w[1.5?]); //~ PML0204
    print((w[k?, 0])?); //~ PML0204
    let z[n] = w[n?, 0];
    let u[n] = w[j?[n], 0]; //~ PML0601
}
