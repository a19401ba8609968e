// A split survives a reshape on the outermost dimension of a group.
place all = ranks(0..2);
main {
    let x = uniform(rng(1), [4, 6]) to @all : S(0);
    let y = uniform(rng(1), [4, 6]) to @all : S(1);
    print(sum(reshape(x, [24])) to B);
    print(sum(reshape(x, [2, 12])) to B);
    print(sum(reshape(x, [3, 8])) to B);               //~ PML0311@15
    print(sum(reshape(y, [24])) to B);                 //~ PML0311@15
    print(sum(reshape(y to B, [24])));
}
