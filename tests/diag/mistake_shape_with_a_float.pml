main { print(sum(zeros([3.5, 2]))); }    //~ PML0205
