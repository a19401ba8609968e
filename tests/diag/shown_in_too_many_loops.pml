// What is shown where a derivative is taken is kept for each turn of the loops around it, in a tensor with a dimension for each.
config n : int = 2;
fn deep(x: f64) {
    var y = x;
    for a in 0..n { for b in 0..n { for c in 0..n { for d in 0..n { for e in 0..n { for f in 0..n { for g in 0..n { for h in 0..n {
        y = sin(y * x);
        print(y);
    } } } } } } } }
    return y;
}
fn deeper(x: f64) {
    var y = x;
    for a in 0..n { for b in 0..n { for c in 0..n { for d in 0..n { for e in 0..n { for f in 0..n { for g in 0..n { for h in 0..n {
        y = sin(y * x);
        if y > 0.5 { print(y); }  //~ PML0415
    } } } } } } } }
    return y;
}
fn rows(x: f64[2]) {
    var y = x;
    for a in 0..n { for b in 0..n { for c in 0..n { for d in 0..n { for e in 0..n { for f in 0..n { for g in 0..n { for h in 0..n {
        y = sin(y * x);
        print(y);  //~ PML0415
    } } } } } } } }
    return sum(y);
}
main {
    print(grad(deep)(0.3));
    print(grad(deeper)(0.3));
    print(grad(rows)([0.3, 0.2] as f64));
}
