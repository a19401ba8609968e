let x = 3; //~ PML0001@1
for i in 0..3 { } 
main { }
