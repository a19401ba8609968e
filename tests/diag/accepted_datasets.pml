import std.data;
main {
    let d = data.csv("x.csv", columns = [8, 1]) as (f32[100, 8], i32[100]);
    let e = data.join(data.npy("a.npy"), data.bytes("b.txt")) as (f64[_, 2, 2], u8[_]);
    let k = rng(1, 2);
    for (x, t) in data.batches(d[0..80], size = 16, shuffle = fold(k, 3)) { print(sum(x), sum(t)); }
    for (x, t) in data.batches(e, size = 4) { print(sum(x), sum(t as i32)); }
    print(data.rows(d), data.rows(d[80..data.rows(d)]));
}
