place left = ranks(0..2);
struct Linear[n, p: place] { w : f32[n, n] @ p : S(1) = zeros() }
struct Other { v : f32[3] = zeros() }
param a : Linear[4, left];
param b : Linear;                             //~ PML0203@11
param c : Linear[left, left];                 //~ PML0209@18
param l : [2] Other;
param i : Linear[4, left] = zeros();          //~ PML0216@29
fn f[n, p: place](x: Linear[n, p]) { return sum(x.w); }
fn g(x: Linear[5, left]) { return sum(x.w); }
main {
    print(f(a) to B);
    print(f(l[0]));                           //~ PML0209@13
    print(g(a));                              //~ PML0209@13
    print(sum(a.v));                          //~ PML0216@17
    print(sum(l[2].v));                       //~ PML0210
}
