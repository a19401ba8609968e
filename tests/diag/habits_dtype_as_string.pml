main { print(zeros([3], dtype = "f32")); }  //~ PML0209@14
