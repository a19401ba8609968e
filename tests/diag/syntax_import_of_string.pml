import "data"; //~ PML0001@8
main { }
