const A : int = 4 / 0;                        //~ PML0508@17
main { print(A, 5 % 0, floor_div(3, 0)); }    //~ PML0508 PML0508
