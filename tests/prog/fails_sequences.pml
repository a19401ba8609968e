// A sequence that is longer than what there is.
//% fails fails_sequences.pml:6:13: error: a sequence of 4 rows, 200 apart, does not fit into the 600 rows of `examples/data/trees.csv`
import std.data;
main {
    let d = data.csv("examples/data/trees.csv", ["height"], missing = 0) as f32[_];
    let s = data.sequences(d, length = 4, dilation = 200);
    for x in data.batches(s, size = 1) { print(x); }
}
