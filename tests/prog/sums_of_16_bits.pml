// Sums of 16 bits over ranks are added up in f32 and rounded once, whoever ends with them: they are the exact sum, rounded.
//% ranks 3 4 7
//% also --reproducible
const N : int = 3;
const WIDTH : int = 1030;                            // more than is added up at a time
place all = ranks(0..N);
place last = ranks(N - 1..N);

fn wrong(x, y) { return sum((if x == y => 0 else 1) as i32); }

main {
    let (i, j) = (reshape(iota(N), [N, 1]), reshape(iota(WIDTH), [1, WIDTH]));
    let x = ((37 * j + 91 * i) % 251 + 1) as f32 * (if (i + j) % 3 == 0 => 64.0 else 1.0);    // 8 bits each, and sums of 24
    let e = sum(x, dim = 0);
    let parts = x to @all : S(0);
    let (b, f) = (sum(parts as bf16, dim = 0), sum((parts / 64.0) as f16, dim = 0));
    print(wrong(b to B, e as bf16), wrong(f to B, (e / 64.0) as f16));
    print(wrong(b[1..8] to B, e[1..8] as bf16), wrong(b[8..9] to B, e[8..9] as bf16));        // which travel together
    print(wrong(b to S(0) to B, e as bf16), wrong((f to S(0)) * (2.0 as f16) to B, (e / 32.0) as f16));
    print(wrong(b to @last : B, e as bf16), wrong(f to @last : B, (e / 64.0) as f16));
}
