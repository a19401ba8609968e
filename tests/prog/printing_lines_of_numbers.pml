// Turns that show, of numbers that are on no ranks of their own: what each line shows is taken of what all lines have shown.
//% ranks 1 (2)
//% also --loops=unrolled
config most : int = 3;
const N : int = 1;
place p = ranks(0..N);
fn counted(x: f32[3], n: i32[]) { var h = x; for i in 0..n { h = h + 1.0; print("count", i, h); } return sum(h); }
fn in_arm(x: f32[3]) {
    var s = sum(x);
    for i in 0..most { s = s + 1.0; print("more", i, s); }
    return s;
}
fn twice(x: f32[3]) { var s = sum(x); while s > 1.0 { for k in 0..2 { s = s * 0.5; print("twice", k, s); } print("done", s); } return s; }
main {
    let xs = reshape(iota(12) as f32, [4, 3]) * 0.5;
    let n = [2, 0, 3, 1] as i32;
    print(vmap(counted)(xs, n));
    print(vmap(in_arm)(xs), vmap(twice)(xs));
}
