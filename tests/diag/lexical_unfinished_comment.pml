main { }
/* and so on //~ PML0006@1
