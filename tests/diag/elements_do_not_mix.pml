main {
    let a = zeros([3]);
    let i = iota(3);
    print(sum(a + i));                        //~ PML0202@19
    print(sum(a + (i as f32)));
    print(sum(i + 1), sum(a + 1));
    print(sum(i + 0.5));                      //~ PML0202@19
    print(sum(sqrt(i)));                      //~ PML0202
    print(sum(a && a));                       //~ PML0202
    print(sum(!a));                           //~ PML0202
}
