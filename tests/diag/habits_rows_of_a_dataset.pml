// A dataset is no tensor and no list: how many rows it has is asked of std.data.
import std.data;

main {
    let d = data.csv("a.csv", [2]) as f32[_, 2];
    print(length(d));   //~ PML0209@18
    print(d.shape);     //~ PML0216@13
    print(data.rows(d));
}
