// A number that `as` has given a type has it as a tensor, too: by `to`, in lists, kept in variables.
//% ranks 1 (2)
config n : int = 3;
const N : int = 1;
place p = ranks(0..N);
fn third(x: f64 @ p) { return x / 3.0; }
main {
    let third_part = (1.0 / 3.0) as f64;
    let (a, b, c) = ((1.0 / n) as f64 to @p, [1.0 as f64, 2.0] to @p, third_part to @p);
    print(a.dtype, b.dtype, c.dtype, (3 as i64 to @p).dtype, (n to @p).dtype, [1, 2.0] to @p);
    print(a, c, third(1.0 as f64 to @p), b / 3.0, (1.0 / n) to @p);
}
