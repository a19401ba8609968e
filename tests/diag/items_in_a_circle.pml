const A : int = B + 1;
const B : int = A - 1;                        //~ PML0220@17
main { print(B); }
