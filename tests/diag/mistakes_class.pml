class Model { }  //~ PML0001@1
main { }
