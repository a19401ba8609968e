import std.data;
main {
    let d = data.npy("x.npy") as f32[_, 3];
    for x in data.batches(d, size = 4, shuffle = true) { print(sum(x)); }    //~ PML0209
}
