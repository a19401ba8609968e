place a = ranks(0..2);
main { print(sum(zeros([2]) to @ranks(0..3) : B)); }    //~ PML0215
