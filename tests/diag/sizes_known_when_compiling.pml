// A config is no size. Where one stands in several places that is one message, as one word mends it.
import std.data;
config n : int = 4;
config rows : int = 4;
config along : int = 1;
config count : int = 4;
const N : int = 4;
main {
    print(sum(zeros([N])));
    print(sum(zeros([n])));                   //~ PML0205@21
    let d = data.npy("x") as f32[_, 3];
    for x in data.batches(d, size = rows) { print(sum(x)); }    //~ PML0205
    print(sum(zeros([3, 4]), dim = along));   //~ PML0205
    print(iota(count)[0]);                    //~ PML0205
    print(ones([n, 3]), iota(n + 1), zeros([rows]));
}
