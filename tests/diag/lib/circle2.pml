import circle; //~ PML0104@8
