import std.data;
config n : int = 4;
const N : int = 4;
main {
    print(sum(zeros([N])));
    print(sum(zeros([n])));                   //~ PML0205@21
    let d = data.npy("x") as f32[_, 3];
    for x in data.batches(d, size = n) { print(sum(x)); }    //~ PML0205
    print(sum(zeros([3, 4]), dim = n));       //~ PML0205
    print(iota(n)[0]);                        //~ PML0205
}
