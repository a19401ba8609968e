place p = ranks(0..2);
param w : f32[4] @ p = ones();
fn f() { checkpoint("dir"); return sum(w); }  //~ PML0411
main {
    checkpoint();  //~ PML0203
    checkpoint("dir", 3.5);  //~ PML0209
    checkpoint("dir", often = 10);  //~ PML0203
    checkpoint("dir", step = 2, keep = "all");  //~ PML0209
    let from = resume(w);  //~ PML0209
    for step in resume("dir", 1)..10 { }  //~ PML0203
    for step in resume("dir")..10 { every 2 { checkpoint("dir", keep = 3); } }  //~ PML0203@47
    for step in resume("dir")..10 { every 2 { checkpoint("dir", step = step + 1); } }
    let g = grad(f)();
}
