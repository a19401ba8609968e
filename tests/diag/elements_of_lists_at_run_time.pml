param w : f32[4] = ones();
main { let l = [w * 1.0, ones([3])]; for i in 0..2 { print(sum(l[i])); } } //~ PML0205@66
