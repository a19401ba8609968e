param w : i32[3] = zeros();                   //~ PML0202@11
state s : i32[3] = zeros(dtype = i32);
main { print(sum(s)); }
