place p = ranks(0..2);
struct S1 { w : f32[3] @ p = zeros() }
main { let s = S1(); print(s.w); }  //~ PML0901@16
