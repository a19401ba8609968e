// A key for each line: of a list, or made of the line's number; the same draws as one by one, however the lines are split.
//% ranks 1 3 (2) (4)
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
struct Net { w : f64[3, 2], b : f64[2] }
param start : f64[3, 2] @ p = ones();
fn drawn(key: rngkey, x: f64[2]) { return x + normal(key, [2], dtype = f64) * uniform(fold(key, 1), [2], dtype = f64); }
fn numbered(i, x: f64[2]) { return x + normal(fold(rng(7), i), [2], dtype = f64) + normal(rng(3, i + 1, 2), [2], dtype = f64); }
fn made(i) { return Net(w = normal(fold(rng(2), i), [3, 2], dtype = f64), b = uniform(rng(i), [2], dtype = f64)); }
fn loss(w: f64[3, 2], key: rngkey, x: f64[3]) { return sum(square(tanh(x @ w + normal(key, [2], dtype = f64)))); }
fn of_start(key: rngkey, x: f64[3]) { return loss(start, key, x); }
main {
    let x = reshape(sin(iota(12) as f64), [6, 2]) to @p : S(0);
    let z = reshape(sin(iota(18) as f64), [6, 3]) to @p : S(0);
    let keys = split(rng(5), 6);
    let number = iota(6) to @p : S(0);
    let a = vmap(drawn)(keys, x);
    let b = vmap(numbered)(number, x);
    let nets = vmap(made)(iota(6));
    let g = vmap(grad(of_start))(keys, z);
    let dw = grad(loss, wrt = "w");
    for i in 0..6 {
        assert_equal(a[i] to B, drawn(split(rng(5), 6)[i], x[i] to B));
        assert_equal(b[i] to B, numbered(i, x[i] to B));
        assert_equal(nets.w[i], made(i).w);
        assert_equal(nets.b[i], made(i).b);
        assert_close(g.start[i] to B, dw(start, split(rng(5), 6)[i], z[i] to B), rtol = 1e-12);
    }
    let best = argmax(sum(x, dim = 1) to B);
    print(a to B, uniform(fold(rng(1), best), [2]));
}
