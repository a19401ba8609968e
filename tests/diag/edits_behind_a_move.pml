place all = ranks(0..4);
main {
    let y = iota(4) to @all : S(0);
    print(argmax(y));                                                                            //~ PML0304
    let k = sort(y);                                                                             //~ PML0304
    print((reshape(iota(4), [1, 4]) to @all : S(0)) + (zeros([4, 4], i64) to @all : S(0)) to B); //~ PML0304@11
    print(k to B);
}
