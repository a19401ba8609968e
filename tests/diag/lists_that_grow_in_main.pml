// A list keeps its length while the program runs, and what is made of one that did not is told once. In a function a loop of known turns collects.
place one = ranks(0..1);
fn doubled(n: int) {
    var all = [];
    for i in 0..n { all = all + [i * 2.0]; }
    return all as f32;
}
main {
    var all = [];
    for i in 0..4 { all = all + [i * 2.0]; }    //~ PML0505
    print(stack(all, dim = 0));
    print(doubled(4));
}
