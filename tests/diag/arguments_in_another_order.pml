import std.loss;
fn mine(x: f32[4, 6], k: int) { return x[k]; }
main {
    let x = uniform(rng(1), [4, 6]);
    let t = [1, 2, 3, 0] as i32;
    print(loss.cross_entropy(t, x)); //~ PML0203@33
    print(full([3], 2.0)); //~ PML0203@21
    print(full(3, 2.0)); //~ PML0203@19
    print(zeros(3, 4)); //~ PML0209@17
    print(ones(3)); //~ PML0209@16
    print(uniform([3], rng(1))); //~ PML0203@19
    print(one_hot(10, t)); //~ PML0203@23
    print(embed(t, x)); //~ PML0203@20
    print(top_k(2, x)); //~ PML0203@20
    print(where(x, x > 0.5, 0.0)); //~ PML0203@17
    print(concat(x, x)); //~ PML0209@18
    print(reshape([2, 12], x)); //~ PML0203@19
    print(reshape(x, 2, 12)); //~ PML0209@22
    print(permute(x, 1, 0)); //~ PML0209@22
    print(mine(2, x)); //~ PML0203
}
