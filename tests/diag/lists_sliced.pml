// Items of a list that are not there, in reverse, and at places that the running program says.
config k : int = 1;
main {
    let l = [1, 2];
    print(l[0..5]);         //~ PML0210@16
    print(l[2..1]);         //~ PML0210
    print(l[k..k + 1]);     //~ PML0205
    print((1, 2)[0..k]);    //~ PML0205
    print(ones([2, 3]).shape[1..k + 3 - k]);    //~ PML0205
}
