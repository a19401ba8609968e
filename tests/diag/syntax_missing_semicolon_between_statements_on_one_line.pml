main { let x = 1 let y = 2; } //~ PML0002@17
