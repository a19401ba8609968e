import std.data;
main {
    let d = data.npy("x.npy") as f32[_, 3];
    for x in data.batches(d, size = 0) { print(sum(x)); }    //~ PML0205
}
