param w : f32[1, 1, 1, 1, 1, 1, 1, 1, 1] = zeros();   //~ PML0211@11
main {
    let a = zeros([1, 1, 1, 1, 1, 1, 1, 1]);
    print(sum(outer(zeros([2]), zeros([3]))), sum(a));
    print(sum(embed(zeros([2, 3]), reshape(iota(1), [1, 1, 1, 1, 1, 1, 1, 1]))));   //~ PML0211
}
