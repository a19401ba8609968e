state n : int = 1;                            //~ PML0205
place all = ranks(0..n);                      //~ PML0204
main { print(sum(ones([2]) to @all : B)); }
