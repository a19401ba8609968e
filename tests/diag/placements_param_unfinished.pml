place left = ranks(0..2);
param w : f32[8] @ left : P = zeros();        //~ PML0213@27
main { print(sum(w)); }
