fn number() { return 1.0; }
main { print(grad(number)()); }     //~ PML0412@19
