main {
    let x = ones([3]);
    let i = iota(3);
    print(sum(if x > 0.5 => x else i));    //~ PML0202
}
