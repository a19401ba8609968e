import std.data;
main {
    let d = data.npy("x.npy", "y.npy");
    for (x, y) in data.batches(d, size = 4) { print(sum(x)); }  //~ PML0221
    let e = d as (f32[_, 3], i32[_]);
    for (x, y) in data.batches(e, size = 4) { print(sum(x)); }
    let f = d as f32[_, 3];                   //~ PML0221
    let g = d as (f32[_, _], i32[_]);         //~ PML0221
    let h = d as (f32, i32[_]);               //~ PML0221
}
