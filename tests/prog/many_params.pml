// A gradient by more params than one list may have.
//% ranks 1
const N : int = 3000;
place p = ranks(0..1);
param v : [N] f32[2] @ p = ones();
param w : [N] f32[2] @ p = ones();
fn f() {
    var s = zeros([2]) to @p;
    for i in 0..N { s = s + v[i] * v[i]; }
    for i in 0..N { s = s + 3.0 * w[i]; }
    return sum(s);
}
main {
    let g = grad(f)();
    print(g.v[0], g.v[N - 1], g.w[0], g.w[N - 1]);
}
