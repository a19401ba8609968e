main { let mut x = 3; } //~ PML0001@16
