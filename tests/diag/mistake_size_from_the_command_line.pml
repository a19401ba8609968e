config width : int = 64;
param w : f32[width, 10] = zeros();    //~ PML0205
main { print(sum(w)); }
