param w : f32[3] = ones();
fn f[n](x: f32[n, 3]) { return mean(x @ w); }
fn two[n, k](x: f32[n, 3], y: f32[k]) { return mean(x @ w) + sum(y); }
main {
    let x = zeros([10, 3]);
    let y = zeros([8]);
    let other = zeros([10]);
    print(microbatch(4) { f(x) });                            //~ PML0520@29
    print(microbatch(2) { two(x, y) });                       //~ PML0520@34
    print(microbatch(3) { (f(x), f(x * 2.0), f(x + x)) });    //~ PML0520@30
    print(microbatch(3) { (f(x), two(x, other)) });           //~ PML0520@30
    print(microbatch(2) { (two(x, y), two(x, y * y)) });      //~ PML0520@35
    print(microbatch(5, whole = y) { two(x, y) });
    print(microbatch(5, whole = (x, y)) { two(x, y) });
    print(microbatch(1) { two(x, y) });
    let pair = (x, x);
    print(microbatch(2) { f(pair[0]) });
}
