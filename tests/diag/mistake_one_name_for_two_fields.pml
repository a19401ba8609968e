import std.data;
main {
    let d = data.npy("x.npy", "y.npy") as (f32[_, 3], i32[_]);
    for x in data.batches(d, size = 4) { print(sum(relu(x))); }    //~ PML0208
}
