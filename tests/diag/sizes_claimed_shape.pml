main {
    let a = zeros([3, 4]);
    print(sum(a as [3, _]));
    print(sum(a as [4, 3]));                  //~ PML0201
}
