main {
    let a = zeros([3, 4]);
    let b = zeros([3]);
    print(sum(a + b));                //~ PML0201
    print(sum(a + reshape(b, [3, 1])));
}
