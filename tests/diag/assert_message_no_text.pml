// What an assertion says is a string; a number is made one by format.
main {
    let x = sum(iota(3));
    assert(x == 3, message = 7);              //~ PML0209
    assert(x == 3, message = format(x));
}
