place p = ranks(0..2);
param w : f32[4] @ p = ones([5]);  //~ PML0201@24
main { print(w); }
