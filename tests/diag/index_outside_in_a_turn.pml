// Turns of a loop whose index leaves the dimension: told once, whether the loop stays one or is walked turn by turn.
place p = ranks(0..1);
param w : f32[4, 10] @ p = zeros();

fn element() {
    var s = 0.0 to @p;
    for t in 0..40 { s = s + w[0, t]; }  //~ PML0210
    return s;
}
fn slice() {
    var s = 0.0 to @p;
    for t in 0..9 { s = s + sum(w[0, t + 1..t + 3]); }  //~ PML0210
    return s;
}
fn assigned() {
    var y = w * 1.0;
    for t in 0..12 { y[0, t % 11] = 1.0; }  //~ PML0210
    return sum(y);
}
fn of_many_turns() {
    var s = 0.0 to @p;
    for t in 0..100000 { s = s + w[0, t - 99995]; }  //~ PML0210
    return s;
}
fn fits() {
    var y = w * 1.0;
    for t in 0..9 {
        y[0, t] = sum(w[0, t..t + 2]) + w[1, -t - 1];
        if w[0, 0] > 0.0 { y[1, t] = w[1, t + 8]; }
        for k in 0..t - 7 { y[k, t] = w[0, t + 1]; }
    }
    return sum(y);
}
main {
    for i in 0..3 {
        print(element(), slice(), assigned(), fits());
        let (l, g) = value_and_grad(of_many_turns)();
        each (x, d) in g { x -= d; }
    }
}
