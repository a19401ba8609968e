place p = ranks(0..2);
struct S1 { w : f32[3] @ p = zeros() }
param s : [2] S1;
main { print(s.w); }  //~ PML0216@16
