// An index that only the running program knows names what the same number names when compiling; what `i?` names outside is left out.
//% ranks 1 3 (2 4)
//% bits indexing
import std.nn;
const N : int = 1;
place p = ranks(0..N);
config one : int = 1;

param x : f32[5] @ p : S(0) = normal();
param w : f32[5, 3] @ p : S(0) = normal();
param v : f32[5, 3] @ p : S(1) = normal();

op rows_or_none(a[m, n], i[j]: int) -> [j, n] = a[i, n];
op summed(a[m, n], i[j]: int) -> [n] = sum[j] a[i[j]?, n];

fn squares[n](i: i32[n] @ p : B) -> f32 @ p : B { let y = embed(w, i?) to B; return sum(y * y); }

fn put(a, i, b) { var y = a; y[i, 1..] = b; return y; }
fn put_there(a, i, b) { return sum(square(put(a, i, b)) * reshape(iota(15) as f32, [5, 3])) to B; }
fn one_by_one(a, b) {
    var y = a;
    for k in 0..3 { y[[4, 0, 4][k], 1..] = b[k]; }
    return sum(square(y) * reshape(iota(15) as f32, [5, 3])) to B;
}

fn block(a, k) { return sum(square(a[k..k + 3, k..k + 2] to B)); }

main {
    assert_equal(x[one] to B, x[1] to B);
    assert_equal(x[-one] to B, x[-1] to B);
    assert_equal(x[-5 * one] to B, x[-5] to B);
    assert_equal(w[-2 * one] to B, w[-2] to B);
    assert_equal(w[.., -one] to B, w[.., -1] to B);
    assert_equal(v[-3 * one, -2 * one] to B, v[-3, -2] to B);
    let last = argmax(x to B) - 5;
    assert_equal(x[last] to B, max(x to B));

    var y = x to B;
    y[-2 * one] = 3.0;
    y[one] += 1.0;
    var z = x to B;
    z[-2] = 3.0;
    z[1] += 1.0;
    assert_equal(y, z);
    v[-one, 1..] = zeros([2]);
    print("written", v to B);

    let places = [4, 0] to @p;                                   // blocks in two dimensions, a block or an int beside a tensor of indices
    assert_equal(w[one..one + 2, one..one + 2] to B, w[1..3, 1..3] to B);
    assert_equal(v[2 * one..2 * one + 2, one..one + 1] to B, v[2..4, 1..2] to B);
    assert_equal(w[places, one..one + 2] to B, take(w, places, dim = 0)[.., 1..3] to B);
    assert_equal(w[places, -one] to B, take(w, places, dim = 0)[.., -1] to B);
    assert_equal(v[one..one + 1, floor_div(places, 2)] to B, take(v[1..2], [2, 0], dim = 1) to B);
    assert_equal(grad(block, wrt = "a")(w, one) to B, grad(block, wrt = "a")(w, 1) to B);

    let from = last + 5 - argmax(x to B) + 1 to @p;                 // 1, as a tensor; slices that begin there
    var u = w to B;
    u[2 * from - 1..2 * from + 1, from..from + 2] = ones([2, 2]);
    var t = w to B;
    t[1..3, 1..3] = ones([2, 2]);
    assert_equal(u, t);
    assert_equal(w[from..from + 2, 0..2] to B, w[1..3, 0..2] to B);
    assert_equal(v[from + 1..from + 3, (from as i64)..(from as i64) + 1] to B, v[2..4, 1..2] to B);
    assert_equal(grad(block, wrt = "a")(w, from) to B, grad(block, wrt = "a")(w, 1) to B);
    assert_equal(vmap(block, over = "k")(w to B, [0, 1] as i32), [block(w to B, 0), block(w to B, 1)] as f32);

    var whole = w * 2.0;                                           // nothing is left of it, but it is where it was
    whole[..] = 3.0;
    assert_equal(whole to B, full(3.0, [5, 3]));
    whole[0..5] = [1.0, 2.0, 3.0];
    assert_equal(sum(whole to B), 30.0);

    let named = [4, 0, 4] to @p;                                   // assigned by a tensor of indices: the last that names an element counts
    let new = w[0..3, 0..2] to B;
    assert_equal(put_there(w, named, new), one_by_one(w, new));
    assert_equal(grad(put_there, wrt = "a")(w, named, new) to B, grad(one_by_one, wrt = "a")(w, new) to B);
    assert_equal(grad(put_there, wrt = "b")(w, named, new) to B, grad(one_by_one, wrt = "b")(w, new) to B);
    var lined = w to B;
    lined[named] = new[0, 0] to B;
    lined[.., [2, 0]] = [5.0, 6.0];                                // what is assigned goes on to the shape of the elements
    lined[0..2, 1..3] *= [[2.0], [3.0]];
    lined[(named + 1)?, 1] = 9.0;
    let old = w to B;
    let first = new[0, 0] to B;
    assert_equal(lined, [[6.0, 2.0 * first, 10.0], [6.0, 9.0, 15.0], [6.0, old[2, 1], 5.0], [6.0, old[3, 1], 5.0], [6.0, first, 5.0]] as f32);

    let f = x to B;                                                // backwards, from a number on
    let back[k] = f[4 - k];
    let second[k] = f[3 - 2 * k];
    let met[k] = f[2 - k] * f[k + 1];
    assert_equal(back, flip(f));
    assert_equal(second, [f[3], f[1]] as f32);
    assert_equal(met, [f[2] * f[1], f[1] * f[2], f[0] * f[3]] as f32);
    assert_close(sum[k] f[4 - k] * f[k], sum(flip(f) * f));

    let pairs = [[0, 2], [4, 1], [3, 0]] to @p;                    // of indices that stand side by side each is its own dimension's
    let found[n] = w[pairs[n, 0], pairs[n, 1]];
    let some[n] = w[pairs[n, 1]?, pairs[n, 0]?];
    assert_equal(found to B, [w[0, 2] to B, w[4, 1] to B, w[3, 0] to B] as f32);
    assert_equal(some to B, [w[2, 0] to B, 0.0, 0.0] as f32);

    let i = (iota(4) * 3 - 2) as i32 * (one as i32) to @p : B;   // -2, 1, 4, 7
    print("embed", embed(w, i?) to B, embed(v, i?) to B, w[i?] to B, v[i?, 1] to B, rows_or_none(w, i?) to B, summed(v, i) to B);
    print("take", take(w, i?, dim = 0) to B, take_along(v, reshape(i, [4, 1])?, dim = 0) to B);
    print("one_hot", one_hot(i?, 3) to B, pick(w[0..4] to B, i?), nn.embedding_bag(v, reshape(i, [2, 2])?) to B);
    print("scatter", scatter_add(i?, v[0..4] to B, rows = 5), add_along_at(i? , ones([4]), n = 3));
    print("element", x[(7 * one)?] to B, x[(-one)?] to B, x[9?] to B, (x[2?] to B) - (x[2] to B));
    y[(5 * one)?] = 9.0;
    y[(0 - one)?] = 9.0;
    assert_equal(y, z);
    print("gradient", grad(squares)(i).w to B);
}
