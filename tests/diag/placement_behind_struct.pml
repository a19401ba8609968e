place q = ranks(0..1);
place r = ranks(1..2);
struct Pair { a : f32[4] @ q = ones(), b : f32[4] = ones() }
struct Outer { x : Pair @ r }             //~ PML0219@27
param w : Pair @ r;                       //~ PML0219@18
param v : [2] Pair @ r;                   //~ PML0219@22
state s : Pair : S(0);                    //~ PML0219@18
config n : int @ q = 3;                   //~ PML0219@18
fn f(x: Pair @ r, g: gradient @ q) {      //~ PML0219@16 PML0219@33
    return sum(x.a);
}
main { print(f(w)); }
