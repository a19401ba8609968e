// One matrix, its layouts on four ranks, and what changing them sends: tools/pictures.sh draws each transfer.
place all = ranks(0..4);

param split : f32[6, 8] @ all : S(0) = normal(std = 1.0);
param parts : f32[6, 8] @ all : B = normal(std = 1.0);
param x : f32[6, 4] @ all : S(1) = normal(std = 1.0);
param w : f32[4, 8] @ all : S(0) = normal(std = 1.0);

main {
    let gathered = split to B;
    let turned = split to S(1);
    let y = x @ w;                       // every rank has a part of each sum
    let finished = y to B;
    let shares = y to S(0);
    print(sum(gathered) + sum(turned) + sum(finished) + sum(shares) to B);
}
