place right = ranks(0..2);
param w : f32[4, 2] @ rigth : B = zeros(); //~ PML0101@23
main { print(w to @left); }                //~ PML0101@20
