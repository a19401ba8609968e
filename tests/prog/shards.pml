// Datasets of several files of unequal lengths, one of them empty: by a folder, a pattern and a list; elements of two bytes.
//% ranks 1 (2) 3 (4)
import std.data;
const N : int = 1;
place p = ranks(0..N);
config folder : path = "tests/prog/tables";

main {
    let all = data.idx(folder / "shards") as i16[_, 3];
    print(data.rows(all));
    for (x, there) in data.batches(all, size = 2, rest = true) { print(x as i32 to @p : S(0) to B, there to @p); }
    let some = data.idx(folder / "shards/part-1*.idx") as i16[3, 3];
    for x in data.batches(some, size = 3, shuffle = rng(1)) { print(x as f32 to @p : S(1) to B); }
    let turned = data.idx([folder / "shards/part-10.idx", folder / "shards/part-0.idx"]) as i16[_, 3];
    for (x, y) in data.batches(data.join(turned, all)[2..4], size = 2) { print(x as i32 to @p, y as i32 to @p : S(0) to B); }
    // No window goes on from one file into the next.
    let pieces = data.windows(folder / "texts", stride = 2) as u8[_, 3];
    for x in data.batches(pieces, size = 5) { print((x as i32 to @p : S(0)) - 97 to B); }
}
