place line = ranks(0..4);
param e : [i in 0..2] f32[2] @ line[j] = ones();              //~ PML0101
param f : [i in 0..2] f32[i + 1] @ line[i] = ones();
param h : f32[i + 1] = ones();                                //~ PML0101
main { }
