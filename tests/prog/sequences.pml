// Rows of a dataset that follow each other, seen as one row: of several fields, by strides and with rows left out between, over no end of a file and of no
// part that was taken out, of sequences again, shuffled, split along the batch and along time; texts keep their codes; what is wrong is told with the line.
//% ranks 1 3 (2 4)
import std.data;
const N : int = 1;
place p = ranks(0..N);

main {
    let d = data.csv("examples/data/trees.csv", [["height", "leaf"], "kind"], missing = 0, text = ["kind"]) as (f32[_, 2], i32[_]);
    for (x, kind) in data.batches(d[0..11], size = 11) { print(x, kind); }
    let s = data.sequences(d[0..10], length = 3, stride = 2, dilation = 2);
    print(data.rows(s), data.text(s, "kind", 1));
    for (x, kind) in data.batches(s, size = 2) { print(x to @p : S(1) to B, kind to @p : S(0) to B); }
    let nested = data.sequences(data.sequences(d, length = 2), length = 2, stride = 3);
    for (x, kind) in data.batches(nested, size = 2, steps = 1) { print(x to @p : S(2) to B, kind to @p); }
    let gap = data.sequences(data.concat(d[0..4], d[8..11]), length = 3);
    print(data.rows(gap), data.rows(data.sequences(gap[1..3], length = 1)));
    for (x, kind, there) in data.batches(gap, size = 2, rest = true) { print(kind to @p : S(0) to B, there); }

    // Of two files in another place each: none goes over the end of either.
    data.save_npy(iota(5), "a.npy");
    data.save_npy(iota(4) + 10, "b.npy");
    data.save_npy(iota(9) as f32 / 2.0, "c.npy");
    let files = data.join(data.npy(["a.npy", "b.npy"]) as i64[_], data.npy("c.npy") as f32[_]);
    let both = data.sequences(files, length = 3);
    print(data.rows(both));
    for (i, x) in data.batches(both, size = 5) { print(i to @p : S(0) to B, x to @p : S(1) to B); }
    var seen = 0.0;
    for (i, x) in data.batches(both, size = 2, shuffle = rng(3), steps = 10) { seen += sum(i to @p : S(0)) to B; }
    print(seen);
}
