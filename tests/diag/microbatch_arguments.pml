config k : int = 4;
param w : f32[3] = ones();
main {
    let x = ones([4, 3]);
    print(microbatch() { mean(x @ w) });                      //~ PML0203
    print(microbatch(0) { mean(x @ w) });                     //~ PML0209
    print(microbatch(k) { mean(x @ w) });                     //~ PML0209
    print(microbatch(2, 2) { mean(x @ w) });                  //~ PML0209
    print(microbatch(2, schedule = "fast") { mean(x @ w) });  //~ PML0209
    print(microbatch(2, schedule = "zb", hold = -1) { mean(x @ w) });       //~ PML0209
    print(microbatch(2, schedule = "zb", hold = k) { mean(x @ w) });        //~ PML0209
    print(microbatch(2, hold = 3) { mean(x @ w) });           //~ PML0209
    print(microbatch(2, schedule = "zb", hold = 3) { mean(x @ w) });
    print(microbatch(2, order = "1f1b") { mean(x @ w) });     //~ PML0203
    print(microbatch(2, whole = x[0]) { mean(x @ w) });       //~ PML0209
    print(microbatch(2, schedule = "gpipe", whole = x) { mean(x @ w) });
}
