import std.data;
main {
    let d = data.csv("digits.csv.gz", [64, 1]) as (f32[_, 64], i32[_]);
    for x in data.batches(d, size = 64) { print(mean(x)); } //~ PML0209@54
}
