main { import std.data; }  //~ PML0001@8
