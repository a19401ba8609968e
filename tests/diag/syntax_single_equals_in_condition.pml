main {
    var x = 1;
    if x = 2 { x = 3; } //~ PML0001@10
    while x = 4 { x = 5; } //~ PML0001@13
}
