struct P { w : f32[3] = ones(), b : f32 = zeros() }
param ps : [2] P;
fn f(x) { return sum(ps[0].w * x) + ps[1].b; }
main {
    let g = grad(f)(ones([3]));
    print(g[ps[0].w], g.ps[0]);
    print(g[ps[0]].w);                           //~ PML0204@13
}
