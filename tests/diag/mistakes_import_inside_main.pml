main { import std.data; }  //~ PML0003@8 PML0001@25
