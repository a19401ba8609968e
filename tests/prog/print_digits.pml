// Digits that print is told: of host floats, tensors of every float type, members of what is made of others, in functions that are
// differentiated, and on the line they are said for alone.
//% layouts 0 1 2
//% out print_digits.out
const LAYOUT : int = 0;
const N : int = [1, 2, 3][LAYOUT];
place all = ranks(0..N);
struct Point[p: place] { x : f32[2] @ p = [1.0 / 3.0, 2.0 / 3.0] }
param at : Point[all];
state count : i64[2] @ all = [7, 8];
config digits : int = 4;
state w : f32[6] @ all : S(0) = [0.1, 1.5, -2.25, 1e-9, 3.0e10, 0.333333343];

fn length(k: int) -> f32 @ all : B {
    let y = at.x * at.x;
    print("squares", y, digits = k);
    return sum(y);
}

main {
    print(w to B);
    print(w to B, digits = 3);
    print(w to B, significant = 9);
    print(w to B);
    print(1.0 / 3.0, 7, true, "text", digits = digits);
    print((at, count), digits = 2);
    let x = w to B;
    print(x as f64 / 3.0, x as bf16, x as f16, x as i32, digits = 1);
    print(([x[0], 2.0], 5), significant = 3, end = "!\n");
    print([1.0 / 0.0, 0.0 / 0.0, -0.0] as f64, digits = 2, end = "\n");
    for k in 0..3 { print(grad(length)(k).at.x, digits = k); }
    print(sum(x), x[5], digits = 0);
}
