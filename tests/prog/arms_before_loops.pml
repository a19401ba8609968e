//% ranks 1
//% also --loops=unrolled
// What an arm replaces an element of is read, as it was before the arm, by loops and arms that stand behind it: it is not written over before they
// have read it, however late it is known whether the arm is taken.
const N : int = 1;
param c : f64[16] = ones();
param m : f64[64, 64] = ones();
config n : int = 5;

fn late(c: f64[16], at) {
    let d = sum(exp(sin(c * at)));
    return sum(cos(c + sum(exp(sin(c * d)))));
}
fn counted(c: f64[16]) {
    var (y, s) = (zeros([64], dtype = f64), 0.0);
    for t in 0..16 {
        let y0 = y;
        if c[t] > 0.5 { y[t] = 1.0; }
        for k in 1..20 { s = s + sum(max(y0 * (k as f64), 0.25)); }
    }
    return (y, s);
}
fn known_late(c: f64[16]) {
    var (y, s) = (zeros([64], dtype = f64), 0.0);
    for t in 0..16 {
        let y0 = y;
        if late(c, c[t]) > -100.0 { y[t] = 1.0; }
        for k in 1..n { s = s + sum(max(y0 * (k as f64), 0.25)); }
    }
    return (y, s);
}
fn with_arms(c: f64[16]) {
    var (y, s) = (zeros([64], dtype = f64), zeros([64], dtype = f64));
    for t in 0..16 {
        let y0 = y;
        if late(c, c[t]) > -100.0 { y[t] = 1.0; }
        for k in 1..20 {
            if c[k % 16] > 0.5 { s = s * 0.5 + exp(y0 * 0.1); }
            s = s + m[k];
        }
        if c[t] > 0.25 { s = s * 0.5 + exp(y0 * 0.1); }
    }
    return (y, s);
}

main {
    let (y1, s1) = counted(c);
    let (y2, s2) = known_late(c);
    let (y3, s3) = with_arms(c);
    print(s1, s2, sum(y1), sum(y2), sum(y3));
    print(s3[0], s3[15], s3[63]);
}
