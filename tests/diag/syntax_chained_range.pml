main { for i in 0..3..4 { } } //~ PML0015@21
