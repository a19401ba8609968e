import std.data;
place p = ranks(0..2);
main {
    let d = data.csv("digits.csv.gz", columns = [65]) as f32[_, 65];
    for x in data.batches(d, size = 9223372036854775807) { print(sum(x)); } //~ PML0207
}
