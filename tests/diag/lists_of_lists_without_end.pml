// A list of lists of lists has as many params as one cares to write: more than a program has room for are told, not counted.
param w : [4096] [4096] f32[2];         //~ PML0207
param v : [2] [2] [2] f32[2];

main { print(v[1][1][1]); }
