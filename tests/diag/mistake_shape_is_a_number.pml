main { print(sum(zeros(3))); }    //~ PML0209
