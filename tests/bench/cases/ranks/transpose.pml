// A square split by rows becomes its transpose split by rows: an exchange of all with all.
const N : int = 2;       /// ranks
const SIZE : int = 2048;
config steps : int = 20;
place all = ranks(0..N);
state a : f32[SIZE, SIZE] @ all : S(0) = uniform(rng(1));
main {
    for i in 0..steps { a = transpose(a) to S(0); }
    print("first", a[0, 1] to B);
}
