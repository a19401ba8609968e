// data.pml — datasets: what files hold, in rows. A row has one or more fields (an image and its label).
//
// What a reader gives is claimed in the source: `data.idx(images, labels) as (u8[_, 784], u8[_])` says element type and row
// shape of every field; the number of rows `_` is left to the file. The claim is checked when the program starts.
// Rows are logical and on no rank yet: placing a batch with `to` makes every rank read just its shard.
//
// The examples stand in `main` of a program that begins with
//
//     import std.data;

/// IDX files (.gz or not), one field each. Where a path is taken, here and in the functions below, it may also be a folder, which stands
/// for its files in the order of their names, a pattern such as "part-*.gz", or a list of paths: their rows stand behind each other.
///     let folder = "/usr/share/datasets/fashion-mnist";
///     let d = data.idx(folder / "t10k-images-idx3-ubyte.gz", folder / "t10k-labels-idx1-ubyte.gz") as (u8[_, 784], u8[_]);
///     print(data.rows(d));    // 10000
fn idx(first, second = none, third = none, fourth = none) {
    return data_idx(first, second, third, fourth);
}

/// .npy files, one field each. An array without dimensions is one row. More than four: `join`.
///     let d = data.npy("column.npy") as u8[_];
///     print(data.rows(d));    // 3
fn npy(first, second = none, third = none, fourth = none) {
    return data_npy(first, second, third, fourth);
}

/// Writes a tensor, finished, in whatever layout, into a .npy file: every rank the elements it holds. The file is the old one or the
/// new one, never a part. NumPy has no bf16: `x as f32`.
///     data.save_npy([[0.5, 1.5], [2.5, 3.5]] as f32, "scores.npy");
///     for x in data.batches(data.npy("scores.npy") as f32[_, 2], size = 2) { print(x); }
///     // [[0.5, 1.5],
///     //  [2.5, 3.5]]
fn save_npy(x, file: path) {
    data_save_npy(x, file);
}

/// CSV files (.gz or not; RFC 4180). columns says what makes each field: columns by names of the heading, by numbers from 0 on or by ranges
/// of them, `[["age", "fare"], "class"]` or `[[0, 3..5], [6]]`; or, if it has ints alone, how many columns each field has, from the left: `[64, 1]`.
/// heading: whether the first line is one. Left out, it is if columns have names, or if it has words and no number where numbers are
/// taken; one that counts 0, 1, 2, ... may be either and has to be told. missing: the number to take for one that is missing (an empty
/// field, NA, N/A, #N/A, NaN, nan, null, NULL, None, ?); left out, that is an error. decimal: "," if numbers are written 2,5. text: columns of texts, which are read as codes: the distinct
/// texts of the files, sorted by their bytes, have codes from 0 on. codes: a dataset or a file of `save_codes` whose codes are taken;
/// unknown: the code of a text that has none there; left out, that is an error. A pipe (/dev/stdin) is read by rank 0, row by row as they come.
///     let d = data.csv("examples/data/trees.csv", [["height", "leaf"], "kind"], missing = 0, text = ["kind"]) as (f32[_, 2], i32[_]);
///     for (x, kind) in data.batches(d, size = 2, steps = 1) { print(x, kind); }
///     // [[28.7, 72],
///     //  [31.3, 77]] [2, 0]
///     let digits = data.csv("examples/data/digits.csv.gz", [64, 1]) as (f32[_, 64], i32[_]);
///     print(data.rows(digits));    // 1797
fn csv(file, columns, heading = none, separator = ",", decimal = ".", missing = none, text = none, codes = none, unknown = none) {
    return data_csv(file, columns, heading = heading, separator = separator, decimal = decimal, missing = missing, text = text, codes = codes, unknown = unknown);
}

/// How many texts a column of texts (its name or number) has: codes are below that.
///     let d = data.csv("examples/data/trees.csv", ["kind"], text = ["kind"]) as i32[_];
///     print(data.texts(d, "kind"));    // 4
fn texts(d: dataset, column) {
    return data_texts(d, column);
}

/// The text of a code of a column of texts.
///     let d = data.csv("examples/data/trees.csv", ["kind"], text = ["kind"]) as i32[_];
///     print(data.text(d, "kind", 0));    // beech
fn text(d: dataset, column, code) {
    return data_text(d, column, code);
}

/// Writes the texts of all columns of texts in the order of their codes, for `codes` of `csv` in another program.
///     let d = data.csv("examples/data/trees.csv", ["kind"], text = ["kind"]) as i32[_];
///     data.save_codes(d, "trees.codes");
///     let again = data.csv("examples/data/trees.csv", ["kind"], text = ["kind"], codes = "trees.codes") as i32[_];
///     print(data.texts(again, "kind"));    // 4
fn save_codes(d: dataset, file: path) {
    data_save_codes(d, file);
}

/// The bytes of a file, one a row: u8[_].
///     let d = data.bytes("LICENSE") as u8[_];
///     print(data.rows(d));    // 11358
fn bytes(file) {
    return data_bytes(file);
}

/// Pieces of a file of raw elements (text, tokens), or of a .npy file of one dimension, that begin `stride` elements apart and may
/// overlap. The claim says how long they are: `data.windows(corpus) as u8[_, 65]` has a row for every position at which 65 bytes begin.
///     let d = data.windows("LICENSE", stride = 2) as u8[_, 4];
///     for x in data.batches(d, size = 2, shuffle = rng(1), steps = 1) { print(x); }
///     // [[99, 116, 32, 110],
///     //  [111, 114, 109, 44]]
fn windows(file, stride = 1) {
    return data_windows(file, stride);
}

/// Sequences of rows of a dataset that follow each other, each of which is one row, [length, row…]: what a forecast sees and what it is to say. They begin
/// `stride` rows apart and may overlap; dilation = k takes every k-th row. None goes over the end of a file, or of a part that was taken out.
///     let d = data.csv("examples/data/trees.csv", [["height", "leaf"], "kind"], missing = 0, text = ["kind"]) as (f32[_, 2], i32[_]);
///     let s = data.sequences(d, length = 3, stride = 2);
///     for (x, kind) in data.batches(s, size = 2, steps = 1) { print(shape(x), kind); }
///     // [2, 3, 2] [[2, 0, 1],
///     //  [1, 3, 1]]
fn sequences(d: dataset, length: int, stride = 1, dilation = 1) {
    return data_sequences(d, length, stride, dilation);
}

/// The fields of two datasets side by side.
///     let letters = data.bytes("LICENSE") as u8[_];
///     for (a, b) in data.batches(data.join(letters, letters), size = 4, steps = 1) { print(a - b); }    // [0, 0, 0, 0]
fn join(a: dataset, b: dataset) {
    return data_join(a, b);
}

/// The rows of b behind those of a; both have rows of the same dataset. So a part can be left out, as in cross-validation.
///     let d = data.bytes("LICENSE") as u8[_];
///     let train = data.concat(d[0..100], d[200..data.rows(d)]);
///     print(data.rows(train));    // 11258
fn concat(a: dataset, b: dataset) {
    return data_concat(a, b);
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

/// Batches of `size` rows (a number known when compiling), for `for (x, t) in data.batches(...)`: in the order of the file, or shuffled by a key.
/// The order depends on the key alone, not on the number of ranks. Rows that do not fill a batch are left out; with rest = true they
/// make a last batch, filled up with rows of zeros, and each batch has one member more, `for (x, t, there) in ...`: f32[size], 1 for a row, 0 for what fills up.
/// steps: that many batches, in pass after pass, each shuffled anew, instead of one pass; first: the number of the batch to begin
/// with, where a run goes on: of the steps those before it are left out.
///     let d = data.bytes("LICENSE") as u8[_];
///     for x in data.batches(d, size = 4, shuffle = rng(1), steps = 2) { print(x); }
///     // [97, 104, 83, 32]
///     // [32, 46, 32, 32]
///     for (x, there) in data.batches(d[0..3], size = 2, rest = true) { print(x, there); }
///     // [10, 32] [1, 1]
///     // [32, 0] [1, 0]
fn batches(d: dataset, size, shuffle = none, first = 0, steps = none, rest = false) {
    return data_batches(d, size, shuffle, first, steps, rest);
}
