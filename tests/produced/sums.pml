// Sums over ranks: of few numbers, of some that travel together, of many, of 16-bit floats, and largest ones. Then what goes elsewhere: sums in
// slices, slices of other dimensions, neighbours' rows, halves of the ranks.
const N : int = 4;
place all = ranks(0..N);
place half_of = ranks(0..N / 2);
state few : f32[N, 3] @ all : S(0) = uniform(rng(1));
state some : f64[N, 5000] @ all : S(0) = uniform(rng(2));
state many : f32[N, 900001] @ all : S(0) = uniform(rng(3));
state most : f32[N, 70000] @ all : S(0) = uniform(rng(4));
state half : bf16[N, 1001] @ all : S(0) = uniform(rng(5));
state table : f32[64, 48] @ all : S(0) = uniform(rng(6));
state parts : i32[N, 61, 7] @ all : S(0) = (1000 * uniform(rng(7), [N, 61, 7])) as i32;
state halves : f16[N, 61, 7] @ all : S(0) = uniform(rng(8));
main {
    for i in 0..3 {
        let a = sum(few, 0) to B;
        let b = sum(some, 0) to B;
        let c = sum(many, 0) to B;
        let d = max(most, 0) to B;
        let e = sum(half, 0) to B;
        print(a, sum(b), sum(c), sum(d), sum(e as f32));
        let f = sum(parts, 0) to S(0);
        let g = sum(halves, 0) to S(0);
        let h = table to S(1);
        let i = table to @half_of : S(0);
        let j = sum(parts, 0) to @half_of : B;
        let k = table[1..64] + table[0..63] to S(0);
        print(f[3] to B, g[60, 1] to B, h[5, 40..48] to B, i[63, 0..4] to B, j[7], k[31, 3..9] to B);
        few = few * 0.5;
    }
}
