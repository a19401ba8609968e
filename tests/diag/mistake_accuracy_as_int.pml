config n : int = 10;
main {
    var share = 0;
    for i in 0..n { share += 1.0 / n; }    //~ PML0505
    print(share);
}
