// What every rank holds of a sum of E elements is finished on all N ranks.
const E : int = 262144;
const N : int = 2;
config steps : int = 200;
place all = ranks(0..N);
state x : f32[N, E] @ all : S(0) = normal();
state y : f32[E] @ all : B;
main {
    for i in 0..steps { y = sum(x, dim = 0) to B; }
}
