place line = ranks(0..4);
param a : [i in 0..4] f32[2] @ line[i] = ones();
param b : [i in 1..4] f32[2] @ line[i] = ones();              //~ PML0207
param c : [i in 4] f32[2] @ line[i] = ones();                 //~ PML0207
param d : [i in 0..2] [k in 0..2] f32[i + 1, k + 1] @ line[2 * i + k] = ones();
main {
    print(a[3] to @line[0] : B, sum(d[1][1] to @line[0] : B));
}
