main {
    let a = zeros([3, 4]);
    print(sum(reshape(a, [2, 6])), sum(reshape(a, [-1, 2])));
    print(sum(reshape(a, [5, 2])));           //~ PML0201
    print(sum(reshape(a, [-1, 5])));          //~ PML0201
}
