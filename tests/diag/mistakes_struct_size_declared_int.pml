place p = ranks(0..2);
struct S1[n: int] { w : f32[n] @ p = zeros() }
param s : S1[3];  //~ PML0209@14
main { print(s.w); }
