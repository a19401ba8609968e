struct S1[n, p: place] { w : f32[n] @ p = zeros() }
param s : S1[3];  //~ PML0203@11
main { print(s.w); }
