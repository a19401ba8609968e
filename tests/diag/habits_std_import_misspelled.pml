import std.nnn;  //~ PML0103@8
main { print(1); }
