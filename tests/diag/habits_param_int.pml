place p = ranks(0..2);
param w : i32[4] @ p = zeros();  //~ PML0202@11
main { print(w); }
