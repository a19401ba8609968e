// What is read in front or behind alone lies within the shard where an axis has one rank: what the other axes have is as with several.
//% ranks 1 2 3
const N : int = 1;
place g = ranks(0..N) as (x = N, y = 1);
place h = ranks(0..N) as (y = 1, x = 1, z = N);

op behind(u[i]) -> [i] = u[i] + 0.5 * u[(i + 1)?];
op two(u[i, j]) -> [i, j] = u[i, j] * u[i, (j + 1)?] - u[(i + 2)?, j];

main {
    let u = (iota(9) * 5 % 7) as f32;
    print(sin(behind(u to @g : (x=S(0)))) to (x=S(0)) to B);
    print(exp(behind(u to @h : (x=S(0)))) to (x=S(0)) to B);
    let v = reshape((iota(24) * 5 % 7) as f32, [4, 6]) to @h : (x=S(0), z=S(1));
    print(tanh(two(v)) to (x=S(0), z=S(1)) to B);
}
