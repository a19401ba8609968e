param w : [3] f32[4] = ones();
main { for i in 0..3 { print(sum(w[i])); } } //~ PML0205@36
