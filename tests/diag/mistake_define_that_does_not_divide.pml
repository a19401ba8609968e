// pmlc: -D D=100
const D : int = 128;
param w : f32[D / 8] = zeros();       //~ PML0206@15
main { print(sum(w)); }
