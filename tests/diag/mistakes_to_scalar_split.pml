place p = ranks(0..2);
main { let x = full(1.0, []) to @p : S(0); print(x to B); }  //~ PML0210@38
