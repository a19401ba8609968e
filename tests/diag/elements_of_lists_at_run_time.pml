param w : f32[4] = ones();
main { let l = [w * 1.0, w * 2.0]; for i in 0..2 { print(sum(l[i])); } } //~ PML0205@64
