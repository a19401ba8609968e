// data.pml — datasets: what files hold, in rows. A row has one or more fields (an image and its label).
//
// What a reader gives is claimed in the source: `data.idx(images, labels) as (u8[_, 784], u8[_])` says element type and row
// shape of every field; the number of rows `_` is left to the file. The claim is checked when the program starts.
// Rows are logical and on no rank yet: placing a batch with `to` makes every rank read just its shard.

/// IDX files (.gz or not), one field each.
fn idx(first: path, second = none, third = none, fourth = none) {
    return data_idx(first, second, third, fourth);
}

/// .npy files, one field each.
fn npy(first: path, second = none, third = none, fourth = none) {
    return data_npy(first, second, third, fourth);
}

/// A CSV file (.gz or not). columns: how many columns each field has, from the left: [64, 1].
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
fn bytes(file: path) {
    return data_bytes(file);
}

/// Pieces of a file of raw elements (text, tokens), or of a .npy file of one dimension, that begin `stride` elements apart and may
/// overlap. The claim says how long they are: `data.windows(corpus) as u8[_, 65]` has a row for every position at which 65 bytes begin.
fn windows(file: path, stride = 1) {
    return data_windows(file, stride);
}

/// The fields of two datasets side by side.
fn join(a: dataset, b: dataset) {
    return data_join(a, b);
}

/// How many rows there are.
fn rows(d: dataset) {
    return data_rows(d);
}

/// Rows first to last - 1 as a dataset of its own.
fn slice(d: dataset, first: int, last: int) {
    return data_slice(d, first, last);
}

/// Full batches of `size` rows (a number known when compiling), for `for (x, t) in data.batches(...)`: in the order of the file, or shuffled by a key. What is
/// left over at the end is left out. The order depends on the key alone, not on the number of ranks. steps: that many batches, in
/// pass after pass, each shuffled anew, instead of one pass; first: the number of the batch to begin with, where a run goes on.
fn batches(d: dataset, size, shuffle = none, first = 0, steps = none) {
    return data_batches(d, size, shuffle, first, steps);
}
