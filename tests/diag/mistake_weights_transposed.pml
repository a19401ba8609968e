param w : f32[4, 8] = zeros();
main { print(sum(ones([16, 8]) @ w)); }    //~ PML0201
