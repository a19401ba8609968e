test { } //~ PML0001@1
main { }
