test "a" { }
test "b" { }
test "a" { }   //~ PML0116@6
