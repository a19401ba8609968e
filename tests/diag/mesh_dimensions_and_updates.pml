// Declarations on a mesh: dimensions that a layout parameter brings, initial values, updates, layouts of other placements.
place p = ranks(0..4) as (dp = 2, tp = 2);
place cube = ranks(0..8) as (a = 2, b = 2, c = 2);
place line = ranks(0..2);
param a : f32[8, 8] @ p : (dp=S(0)) = ones();
param b : f32[8, 8] @ p : (tp=S(0)) = a * 2.0;             //~ PML0312@39
param c : f32[7, 8] @ p : (dp=S(0), tp=S(0)) = a[1..8] to (dp=S(0), tp=S(0));
state m : f32[6, 5] @ cube : (a=S(0), b=S(1)) = zeros();

fn f[l: layout](x: f32[8, 8] @ p : l, y: f32[8] @ p : l) { return sum(x) + sum(y) to B; }      //~ PML0301
fn two[l: layout](x: f32[8, 8] @ p : l, y: f32[8] @ line : l) { return sum(x) to B; }          //~ PML0313
fn swap(x: f32[6, 5] @ cube : (a=S(0), b=S(1))) { return x to (b=S(0), c=S(1)); }

main {
    print(f(a to (tp=S(1)), ones([8]) to @p));
    print(two(a, ones([8]) to @line));
    a = a to (dp=S(1));                                    //~ PML0303@9
    m = swap(m);                                           //~ PML0303@9
    m = swap(m) to (a=S(0), b=S(1));
    m = m to B;
    print(sum(b) + sum(c) to B, sum(m) to B);
}
