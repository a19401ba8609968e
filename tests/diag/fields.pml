param weight : f32[3] = zeros();
fn f() { return sum(weight); }
main {
    let g = grad(f)();
    print(sum(g.weight));
    print(sum(g.wieght));                     //~ PML0216@17
    print(weight.shape[0], weight.size);      //~ PML0216
    print(rank(g.weight.shape));
}
