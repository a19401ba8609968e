main { print(uniform(rng(zeros([1])), [3])); }  //~ PML0209@26
