const D : int = 128;
param w : f32[D / 4] = zeros();
param v : f32[D / 3] = zeros();               //~ PML0206@15
main { print(sum(w), floor_div(D, 3)); }
