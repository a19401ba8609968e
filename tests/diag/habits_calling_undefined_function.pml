main { print(sofmax(zeros([3]))); }  //~ PML0101@14
