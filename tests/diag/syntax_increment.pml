main { var i = 0; i++; } //~ PML0001@21
