// break and continue leave a loop around them in the same function
place p = ranks(0..1);
param w : f32[2] @ p = ones();
fn f(x) { break; return x; }                            //~ PML0107@11
fn h() { return sum(w); }
main {
    continue;                                           //~ PML0107@5
    for i in 0..3 { let y = remat { break; 1.0 }; }     //~ PML0107@37
    for i in 0..3 { each (q, d) in grad(h)() { break; } }   //~ PML0107@48
    if true { break; }                                  //~ PML0107@15
    for i in 0..3 { fn_of(i); }                         //~ PML0101
    for i in 0..3 { if i == 1 { break; } else { continue; } }
    while h() > 0.0 { break; }
}
