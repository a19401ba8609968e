import modules_imports_itself;  //~ PML0104@8
main { }
