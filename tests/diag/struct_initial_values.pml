place p = ranks(0..2);
struct Inner { c : f32[2] @ p = ones(), d : f32[3] @ p = zeros() }
struct Deep { i : Inner = Inner(c = zeros()) }                      //~ PML0209
param a : Inner = Inner(c = ones(), q = zeros());                   //~ PML0203@37
param b : Inner = Inner(ones(), ones(), ones());                    //~ PML0203@41
param c : Inner = 1.0;                                              //~ PML0216@19 PML0216@19
param f : Inner = Inner(c = ones([3]));                             //~ PML0201@29
param g : Inner = Inner;                                            //~ PML0216@19 PML0216@19
param h : Deep;
param many : [2] Inner = [Inner(), Inner(c = zeros()), Inner()];    //~ PML0201@26
param i : Inner = Inner(d = normal(std = 0.5));
main { print(a, b, c, f, g, h, i, many); }
