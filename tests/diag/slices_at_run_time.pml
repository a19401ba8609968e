// Slices that begin where only the running program knows have a length that is known and fits.
place one = ranks(0..1);
config n : int = 2;
config m : int = 2;
config k : int = 2;

main {
    let x = uniform(rng(1), [4, 12]) to @one;
    var y = x;
    var z = x;
    print(x[.., n..2 * n]);            //~ PML0205
    print(x[.., n..n + 13]);           //~ PML0210
    print(x[.., n + 3..n + 1]);        //~ PML0210
    z[.., n..n + 3] = x[.., 0..2];     //~ PML0505
    y[.., m..2 * m] = x[.., 0..2];     //~ PML0205
    print(x[.., k..]);                 //~ PML0205
    print(x[.., n..n + 3], x[.., 2 * n..3 + n * 2]);
    let j = argmax(x[0]);
    print(x[.., j..j + 2], x[.., 2 * j - 1..j * 2 + 1]);
    print(x[.., ..j]);                 //~ PML0205
    print(x[.., j..2 * j]);            //~ PML0205
    print(x[.., j..j + 13]);           //~ PML0210
    var v = x;
    v[.., j..j + 3] = x[.., 0..2];     //~ PML0505
}
