struct S { a : f32[3]; b : f32[3] } //~ PML0001@22
main { }
