import std.data;
main {
    let d = data.csv("t.csv", columns = [["a"]]) as (f32[_, 1]);
    for x in data.batches(data.sequences(d, length = 0), size = 2) { print(sum(x)); } //~ PML0205@54
}
