// A count that is none of `every` ends the program, whoever says it and wherever it stands.
//% ranks 1 (2)
//% fails [--count=0] `every` takes a count of at least 1
//% fails [--count=-3] `every` takes a count of at least 1
//% fails [--inside=0] `every` takes a count of at least 1
//% fails [--inside=-3] `every` takes a count of at least 1
const N : int = 1;
place p = ranks(0..N);
config count : int = 2;
config inside : int = 2;

param w : f32[2] @ p = ones();

fn f(k: int) -> f32 @ p {
    var s = sum(w);
    for i in 0..4 {
        s = s + sum(w * w);
        every k { print("s", s); }
    }
    return s;
}

main {
    for i in 0..4 { every count { print("turn", i); } }
    let (l, g) = value_and_grad(f)(inside);
    print(l, g.w);
}
