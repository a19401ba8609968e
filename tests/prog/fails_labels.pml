// Labels and ids of a file that are outside end the program with the row they come from, on whichever rank and micro-batch.
//% ranks 1 4 (2 3)
//% fails [--case=3] note: it is element [2] of the indices, from `examples/data/digits.csv.gz` line 10
//% fails [--case=1] fails_labels.pml:23:85: error: index 9 is out of range, `loss.cross_entropy` takes 0 to 8
//% fails [--case=1] note: it is element [9] of the indices, from `examples/data/digits.csv.gz` line 10
//% fails [--case=2] note: it is element [2] of the indices, from `examples/data/digits.csv.gz` line 775
//% fails [--case=4] note: it is element [0, 2] of the indices, from row 6 of `examples/data/digits.csv.gz`
//% fails [--case=5] note: it is element [5] of the indices, from `examples/data/digits.csv.gz` line 8
//% fails [--case=6] help: rows with this label are left out by `ignore = -100`
import std.data;
import std.loss;
const N : int = 1;
place p = ranks(0..N);
place left = ranks(0..1);
place right = ranks(N - 1..N);
config case : int = 0;

param w : f32[64, 9] @ p : S(1) = zeros();   // a class too few: labels are 0 to 9
param u : f32[64, 10] @ left = zeros();
param v : f32[10, 9] @ right = zeros();
param t : f32[57, 2] @ p : S(0) = zeros();

fn plain[n](x: f32[n, 64] @ p : S(0), y: i32[n] @ p : S(0)) -> f32 @ p : B { return loss.cross_entropy(x @ (w to B), y) to B; }
fn staged[n](x: f32[n, 64] @ left, y: i32[n] @ right) -> f32 @ right { return loss.cross_entropy(((x @ u) to @right) @ v, y); }

main {
    let d = data.csv("examples/data/digits.csv.gz", [64, 1]) as (f32[_, 64], i32[_]);
    if case == 0 { for (x, y) in data.batches(d[0..8], size = 8) { print(plain(x to @p : S(0), y to @p : S(0))); } }
    if case == 1 { for (x, y) in data.batches(d, size = 20) { print(plain(x to @p : S(0), y to @p : S(0))); } }
    if case == 2 { for (x, y) in data.batches(d[10..1700], size = 64, shuffle = rng(7)) { let g = grad(plain)(x to @p : S(0), y to @p : S(0)); print(g.w to B); } }
    if case == 3 { for (x, y) in data.batches(d, size = 20) {
        let a = x to @left;
        let b = y to @right;
        let (l, g) = microbatch(4) { value_and_grad(staged)(a, b) };
        print(l, g.v);
    } }
    if case == 4 {
        let text = data.windows("examples/data/digits.csv.gz") as u8[_, 9];
        for ids in data.batches(text, size = 3, first = 2) { print(sum(t[ids[.., 1..9] as i32 to @p : B]) to B); }
    }
    if case == 5 { for (x, y) in data.batches(d[2..1700], size = 20) { print(one_hot(where(y == 0, 5, y - 1) to @p : S(0), 6) to B); } }
    if case == 6 { for (x, y) in data.batches(d, size = 20) { print(plain(x to @p : S(0), where(y < 9, -100, 0) to @p : S(0))); } }
}
