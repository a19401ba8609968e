// A gradient has its params in the order of their declarations, lists from their first element on, whatever the function reads first.
//% ranks 1 2
const N : int = 1;
place p = ranks(0..N);
struct M { ws : [3] f32[2] @ p = ones(), b : f32[2] @ p = zeros() }
param m : M;
param vs : [4] f32[2] @ p = ones();
param z : f32[2] @ p = ones();
param a : f32[2] @ p = ones();

fn f(x) { return sum(vs[2] * x + a * vs[3] + vs[0] * z + vs[1] * a * m.b + m.ws[2] * m.ws[0]); }
fn later(x) { return f(x) + sum(a) + sum(m.ws[1]); }

main {
    let x = [1.0, 2.0] as f32 to @p;
    print(grad(f)(x));
    print(grad(later, wrt = (z, vs, m.ws))(x));
    var n = 0.0;
    each (w, d) in grad(later)(x) {
        n += 1.0;
        print(n, n * d);
    }
}
