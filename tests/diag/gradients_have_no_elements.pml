param line : f32[8] = ones();
param w : f32[8] = ones();
fn squares(u) { return sum(u * u); }
fn products(u) { return sum(u * w * line); }
main {
    let d = grad(squares)(line);
    print(d[0..3]);                           //~ PML0204@11
    print(grad(products)(ones([8]))[1, 2]);   //~ PML0204@11
    print(d.line[0..3]);
    print(grad(squares)(line) to B);          //~ PML0204@11
    print(grad(products)(ones([8])) to B);    //~ PML0204@11
    d.step();                                 //~ PML0216@7
}
