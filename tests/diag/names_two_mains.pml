main { }
main { }      //~ PML0109@1
