// Positions of index notation count from the front, those that turns count too; slices count from the end.
place p = ranks(0..1);
param x : f32[8, 3] @ p = ones();
fn sliced(x) {
    var s = zeros([3]) to @p;
    for i in 0..4 { s = s + x[i - 8, ..]; }
    return s;
}
fn indexed(x) {
    var s = zeros([3]) to @p;
    for i in 0..4 {
        let r[j] = x[i - 8, j];     //~ PML0210@22
        s = s + r;
    }
    return s;
}
main { print(sliced(x), indexed(x)); }
