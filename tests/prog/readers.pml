// Datasets: csv and idx, claims, slices, joins, counts, order and leftovers of batches. Values: expected.py (numpy).
//% ranks 1 (2) 3 (4)
import std.data;
const N : int = 1;
place p = ranks(0..N);
config table : path = "examples/data/digits.csv.gz";
config folder : path = "/usr/share/datasets/fashion-mnist";

main {
    let digits = data.csv(table, columns = [64, 1]) as (f32[_, 64], i32[_]);
    let ten = digits[0..10];
    var n = 0;
    for (x, t) in data.batches(ten, size = 4) {
        print("csv", sum(x to @p : S(0)) to B, t to @p : S(0) to B);
        n += 1;
    }
    print(n, data.rows(digits), data.rows(ten));
    let narrow = data.csv(table, columns = [8, 56, 1]) as (u8[_, 8], f64[_, 7, 8], i64[_]);
    for (x, y, t) in data.batches(narrow[5..8], size = 3) {
        print("narrow", x to @p : S(0) to B, sum(y to @p : S(0), dim = 0)[0] to B, t to @p : B);
    }
    let images = data.idx(folder / "t10k-images-idx3-ubyte.gz", folder / "t10k-labels-idx1-ubyte.gz") as (u8[10000, 28, 28], u8[_]);
    for (x, t) in data.batches(images[7..19], size = 6) {
        print("idx", sum(x as i32 to @p : S(0)) to B, sum(x as f32 to @p : S(1), dim = 0)[14, 9..14] to B, t as i32 to @p : S(0) to B);
    }
    var seen = 0;
    for (x, t) in data.batches(ten, size = 1, shuffle = rng(3)) { seen += sum(t to @p) * sum(t to @p); }
    print("shuffled", seen);
    let both = data.join(digits[4..10], (data.csv(table, columns = [64, 1]) as (f32[_, 64], i32[_]))[4..10]);
    for (a, b, c, d) in data.batches(both, size = 6) { print("joined", b to @p : S(0) to B, d to @p : B, sum(a - c to @p : S(0)) to B); }
}
