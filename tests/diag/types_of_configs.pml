config sizes : f32[3] = 0;                    //~ PML0219@16
config size : int = 3;
config seed : rngkey = 3;                     //~ PML0219@15
main { print(size); }
