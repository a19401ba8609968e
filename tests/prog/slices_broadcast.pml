// What elementwise maps read of slices through broadcasts and transpositions, before a `to` fetches it: legal before anything is simplified and behind it.
//% layouts 0 1 2 (3)
//% also --loops=unrolled
const LAYOUT : int = 0;
const X : int = [1, 2, 3, 2][LAYOUT];
const Y : int = [1, 1, 1, 2][LAYOUT];
place p = ranks(0..X * Y) as (x = X, y = Y);
state x : f32[13] @ p : (x=S(0)) = reshape(iota(13) as f32 - 5.0, [13]);
state m : f32[4, 13] @ p : (x=S(1)) = reshape(iota(52) as f32 * 0.25, [4, 13]);

fn times() { return broadcast(x[12], [13]) * x to B; }
fn scaled() { return broadcast(x[12] * 2.0, [13]) * x to B; }
fn chosen() { return where(x > 3.0, broadcast(x[12], [13]), x) to B; }
fn matrix() { return broadcast(x[12], [4, 13]) + m to B; }
fn lines() { return unsqueeze(x[1..], dim = 1) * transpose(m[0..1, ..12]) to B; }
fn turned() { return transpose(m[0..4, 1..]) * transpose(m[0..4, ..12]) to B; }
fn put() {
    var v = x;
    v[1] = x[12];
    v[0] = x[12] + x[11];
    return v to B;
}
fn column() {
    var v = m;
    v[0..4, 2] = m[0..4, 12];
    return v to B;
}
fn slope(y: f32[13]) { return sum(sin(broadcast(y[12], [13]) * y to (x=S(0)))) to B; }

main {
    print(times(), scaled(), chosen());
    print(matrix());
    print(lines());
    print(turned());
    print(put(), column());
    print(grad(slope)(0.1 * x));
}
