main { return 3; }        //~ PML0107@8
test "t" { return; }      //~ PML0107@12
fn f(x) {
    let y = remat { return x; };    //~ PML0107@21
    return y;
}
