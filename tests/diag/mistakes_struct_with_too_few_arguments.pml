struct S1[n, m] { w : f32[n, m] = zeros() }
param s : S1[3];  //~ PML0203@11
main { print(s.w); }
