place p = ranks(0..2);
struct S1[n, q: place] { w : f32[n] @ q = zeros() }
param s : S1[p, 3];  //~ PML0209@14
main { print(s.w); }
