// Sums of SIZE numbers over all ranks, of which every rank has a part: `to B` and nothing else to speak of.
const N : int = 2;       /// ranks
const SIZE : int = 262144;
config steps : int = 20;
place all = ranks(0..N);
state a : f32[N, SIZE] @ all : S(0) = uniform(rng(1));
state b : f32[SIZE] @ all : B = zeros();
main {
    for i in 0..steps { b = sum(a, [0]) to B; }
    print("first", b[0]);
}
