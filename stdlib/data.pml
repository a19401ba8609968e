// data.pml — datasets: what files hold, in rows. A row has one or more fields (an image and its label).
//
// What a reader gives is claimed in the source: `data.idx(images, labels) as (u8[_, 784], u8[_])` says element type and row
// shape of every field; the number of rows `_` is left to the file. The claim is checked when the program starts.
// Rows are logical and on no rank yet: placing a batch with `to` makes every rank read just its shard.
//
// The examples stand in `main` of a program that begins with
//
//     import std.data;

/// IDX files (.gz or not), one field each.
///     let folder = "/usr/share/datasets/fashion-mnist";
///     let d = data.idx(folder / "t10k-images-idx3-ubyte.gz", folder / "t10k-labels-idx1-ubyte.gz") as (u8[_, 784], u8[_]);
///     print(data.rows(d));    // 10000
fn idx(first: path, second = none, third = none, fourth = none) {
    return data_idx(first, second, third, fourth);
}

/// .npy files, one field each.
///     let d = data.npy("column.npy") as u8[_];
///     print(data.rows(d));    // 3
fn npy(first: path, second = none, third = none, fourth = none) {
    return data_npy(first, second, third, fourth);
}

/// A CSV file (.gz or not). columns: how many columns each field has, from the left: [64, 1].
///     let d = data.csv("examples/data/digits.csv.gz", [64, 1]) as (f32[_, 64], i32[_]);
///     print(data.rows(d));    // 1797
fn csv(file: path, columns: list) {
    var all = none;
    var at = 0;
    for n in columns {
        let field = data_csv(file, at, n);
        if all == none { all = field; } else { all = data_join(all, field); }
        at += n;
    }
    return all;
}

/// The bytes of a file, one a row: u8[_].
///     let d = data.bytes("LICENSE") as u8[_];
///     print(data.rows(d));    // 11358
fn bytes(file: path) {
    return data_bytes(file);
}

/// Pieces of a file of raw elements (text, tokens), or of a .npy file of one dimension, that begin `stride` elements apart and may
/// overlap. The claim says how long they are: `data.windows(corpus) as u8[_, 65]` has a row for every position at which 65 bytes begin.
///     let d = data.windows("LICENSE", stride = 2) as u8[_, 4];
///     for x in data.batches(d, size = 2, shuffle = rng(1), steps = 1) { print(x); }
///     // [[99, 116, 32, 110],
///     //  [111, 114, 109, 44]]
fn windows(file: path, stride = 1) {
    return data_windows(file, stride);
}

/// The fields of two datasets side by side.
///     let letters = data.bytes("LICENSE") as u8[_];
///     for (a, b) in data.batches(data.join(letters, letters), size = 4, steps = 1) { print(a - b); }    // [0, 0, 0, 0]
fn join(a: dataset, b: dataset) {
    return data_join(a, b);
}

/// How many rows there are.
///     print(data.rows(data.bytes("LICENSE") as u8[_]));    // 11358
fn rows(d: dataset) {
    return data_rows(d);
}

/// Rows first to last - 1 as a dataset of its own.
///     let d = data.bytes("LICENSE") as u8[_];
///     print(data.rows(data.slice(d, 100, 300)), data.rows(d[100..300]));    // 200 200
fn slice(d: dataset, first: int, last: int) {
    return data_slice(d, first, last);
}

/// Full batches of `size` rows (a number known when compiling), for `for (x, t) in data.batches(...)`: in the order of the file, or shuffled by a key. What is
/// left over at the end is left out. The order depends on the key alone, not on the number of ranks. steps: that many batches, in
/// pass after pass, each shuffled anew, instead of one pass; first: the number of the batch to begin with, where a run goes on.
///     let d = data.bytes("LICENSE") as u8[_];
///     for x in data.batches(d, size = 4, shuffle = rng(1), steps = 2) { print(x); }
///     // [97, 104, 83, 32]
///     // [32, 46, 32, 32]
fn batches(d: dataset, size, shuffle = none, first = 0, steps = none) {
    return data_batches(d, size, shuffle, first, steps);
}
