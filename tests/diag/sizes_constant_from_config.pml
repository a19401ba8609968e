config n : int = 4;
const N : int = n * 2;                        //~ PML0205@17
main { print(N); }
