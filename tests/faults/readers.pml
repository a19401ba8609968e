// What the readers give, in numbers that every row, its place and the order of batches change: the same on any number of
// ranks. `what` chooses the files, so that broken ones can be named.
//   readers --what=idx --file=FOLDER        images u8[_, 6] and labels u8[_], as tests/rt/make_data.c writes them
import std.data;

const N : int = 1;                  /// ranks
config what    : string = "idx";    /// idx, claim, csv, named, rest, wide, tokens, raw, far, order, again or npy
config file    : path   = "data";   /// the file, or the folder of images and labels
config most    : int    = 1000000000; /// batches of `again`
config shuffle : bool   = false;    /// in an order that --seed draws

place all = ranks(0..N);

fn digest(x) {
    let v = x to @all : S(0);
    let row = iota(shape(v)[0]) + 1;
    return sum((sum_along(v * (iota(shape(v)[1]) + 3)) * row) to B);
}

fn digest_labels(t) {
    let v = t to @all : S(0);
    return sum((v * (iota(shape(v)[0]) + 1)) to B);
}

main {
    if what == "idx" {
        let d = data.idx(file / "images", file / "labels") as (u8[_, 6], u8[_]);
        if shuffle {
            for (x, t) in data.batches(d, size = 7, shuffle = rng(1)) { print(digest(x as i64), digest_labels(t as i64)); }
        } else {
            for (x, t) in data.batches(d, size = 7) { print(digest(x as i64), digest_labels(t as i64)); }
        }
    }
    if what == "claim" {
        let d = data.idx(file / "images", file / "labels") as (u8[_, 5], u8[_]);
        for (x, t) in data.batches(d, size = 7) { print(digest(x as i64)); }
    }
    if what == "named" {
        let d = data.csv(file, columns = [["b", "c"]], separator = ";") as f32[_, 2];
        for x in data.batches(d, size = 2) { print(digest((x * 4.0) as i64)); }
    }
    if what == "wide" {
        let d = data.csv(file, columns = [[0..300000]]) as f32[_, 300000];
        for x in data.batches(d, size = 2) { print(digest(x as i64)); }
    }
    if what == "csv" {
        let d = data.csv(file, columns = [1, 3]) as (i32[_, 1], f32[_, 3]);
        for (t, x) in data.batches(d, size = 5) { print(digest((x * 4.0) as i64), digest(t as i64)); }
    }
    if what == "tokens" {
        let d = data.windows(file) as u16[_, 5];
        for x in data.batches(d, size = 4) { print(digest(x as i64)); }
    }
    if what == "rest" {
        let d = data.csv(file, columns = [["a", "b"]]) as f32[_, 2];
        for (x, there) in data.batches(d, size = 2, rest = true) { print(digest((x * 4.0) as i64), sum(there to @all)); }
    }
    if what == "raw" {
        let d = data.bytes(file) as u16[_, 5];
        for x in data.batches(d, size = 4) { print(digest(x as i64)); }
    }
    if what == "again" {
        let d = data.windows(file) as u8[_, 40];
        for x in data.batches(d, size = 4, shuffle = rng(0), steps = most) { every 100 { log(sum = digest(x as i64)); } }
    }
    if what == "far" {
        let d = data.windows(file) as u16[_, 5];
        let n = data.rows(d);
        for x in data.batches(d[n - 4..n], size = 4) { print(digest(x as i64)); }
    }
    if what == "order" {
        let d = data.windows(file) as u16[_, 5];
        for x in data.batches(d, size = 4, shuffle = rng(0)) { print(digest(x as i64)); }
    }
    if what == "npy" {
        let d = data.npy(file) as (f32[_, 3]);
        for x in data.batches(d, size = 5) { print(digest((x * 4.0) as i64)); }
    }
}
