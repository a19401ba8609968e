import std;  //~ PML0103@8
main { print(1); }
