param w : f32[4] = zeros([3]);        //~ PML0201@20
param v : f32[4] = zeros();
main { print(sum(w + v)); }
