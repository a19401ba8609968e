place p = ranks(0..2);
fn f(i: i32[3]) { return sum(i) as f32; }
main { print(grad(f)(zeros([3], dtype = i32) to @p)); }  //~ PML0412@19
