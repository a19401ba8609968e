main { else { } } //~ PML0001@8
