param w : f32[4, 2] @ all : B = zeros(); //~ PML0204@23
const k : int = 3;
param v : f32[4, 2] @ k : B = zeros();   //~ PML0204@23
main { print(1); }
