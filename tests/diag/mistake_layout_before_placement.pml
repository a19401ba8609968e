place left = ranks(0..2);
const k : int = 2;
main { print(sum(ones([4]) to @k)); }    //~ PML0204
