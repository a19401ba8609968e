place g = ranks(0..2);
fn f(x, y) {
    let a = x to S;              //~ PML0014@18
    let b = x to P(mean);        //~ PML0014@20
    let c = x to B(0);           //~ PML0014@20
    let d = x to T(0);           //~ PML0014@18
    let e = x to S(0);
    let h = x to P(max);
    let i = x to @g : P;
    let j = x to (dp=S(0), tp=B);
    return e;
}
