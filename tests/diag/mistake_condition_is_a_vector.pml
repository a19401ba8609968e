main {
    let x = ones([3]);
    if x > 0.5 { print("large"); }    //~ PML0506
}
