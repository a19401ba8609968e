// as_if(x, y) is x, with the derivatives of y, of any order, backward and forward; of numbers of the host it is the first.
//% ranks 1 2
const N : int = 1;
place p = ranks(0..N);
param w : f64[4] @ p : S(0) = [0.4, 1.6, -0.7, 2.2] as f64;

fn cube(x) { return x * x * x; }
fn rounded() { return sum(as_if(round(w), w) * w) to B; }
fn otherwise(x) { return sum(as_if(-cube(x), cube(x))) to B; }
fn slopes(x) { return sum(grad(otherwise, wrt = 0)(x)) to B; }
op within(x[i], y[i]) -> [i] = 2.0 * as_if(x, y * y) * x;
fn inside(x) { return sum(within(x, x)) to B; }

main {
    print(rounded(), grad(rounded)().w to B);
    print(otherwise(w), grad(otherwise, wrt = 0)(w) to B, grad(slopes, wrt = 0)(w) to B);
    let (y, dy) = jvp(otherwise)(w, ones([4]) as f64 to @p : S(0));
    print(y, dy);
    print(inside(w), grad(inside, wrt = 0)(w) to B);
    print(as_if(2, 3), as_if(2.5, sum(w) to B));
    print(as_if(sum(w), sum(w)) to B);
}
