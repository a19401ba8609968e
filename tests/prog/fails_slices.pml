// A slice that begins or ends outside, of what is read and of what is replaced.
//% ranks 1 2
//% fails [--at=10] index 10 is out of range, slices of 3 begin at 0 to 9: dimension 1 of `x` has 12 elements
//% fails [--at=-1] index -1 is out of range, slices of 3 begin at 0 to 9
//% fails [--at=10 --writes=true] index 10 is out of range, slices of 3 begin at 0 to 9: dimension 1 of `y` has 12 elements
const N : int = 1;
config at : int = 0;
config writes : bool = false;
place p = ranks(0..N);
main {
    let x = uniform(rng(1), [4, 12]) to @p;
    var y = x;
    if writes { y[.., at..at + 3] = 1.0; } else { y[.., 0..3] = x[.., at..at + 3]; }
    print(sum(y) to B);
}
