main { }
} //~ PML0001@1
fn f() { }
