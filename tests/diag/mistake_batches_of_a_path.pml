import std.data;
main {
    for (x, t) in data.batches("train.csv", size = 16) {    //~ PML0209
        print(sum(x));
    }
}
