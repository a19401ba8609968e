// Sums over ranks: of few numbers, of some that travel together, of many, of 16-bit floats, and largest ones.
const N : int = 4;
place all = ranks(0..N);
state few : f32[N, 3] @ all : S(0) = uniform(rng(1));
state some : f64[N, 5000] @ all : S(0) = uniform(rng(2));
state many : f32[N, 900001] @ all : S(0) = uniform(rng(3));
state most : f32[N, 70000] @ all : S(0) = uniform(rng(4));
state half : bf16[N, 1001] @ all : S(0) = uniform(rng(5));
main {
    for i in 0..3 {
        let a = sum(few, 0) to B;
        let b = sum(some, 0) to B;
        let c = sum(many, 0) to B;
        let d = max(most, 0) to B;
        let e = sum(half, 0) to B;
        print(a, sum(b), sum(c), sum(d), sum(e as f32));
        few = few * 0.5;
    }
}
