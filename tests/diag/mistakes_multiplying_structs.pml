place p = ranks(0..2);
struct S1 { w : f32[3] @ p = zeros() }
param s : S1;
main { print(s * s); }  //~ PML0204@14
