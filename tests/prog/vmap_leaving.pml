// Lines that leave a loop after unequal numbers of turns: what asks whether a turn is made shares no kernel with the turn, whose lines end before it.
//% ranks 1 2 (3) 4
//% also --loops=unrolled
const N : int = 1;
place p = ranks(0..N);
state x : f64[4, 5, 3] @ p = reshape((iota(60) * 7919 % 23) as f64 * 0.1 - 1.0, [4, 5, 3]);
state from : f64[4, 3] @ p = reshape((iota(12) * 7919 % 13) as f64 * 0.1 - 0.5, [4, 3]);
state at : f64[4, 5, 3] @ p = reshape((iota(60) * 31 % 17) as f64 * 0.1 - 0.5, [4, 5, 3]);
state along : f64[4, 3] @ p = reshape((iota(12) * 31 % 7) as f64 * 0.1 - 0.2, [4, 3]);
fn greatest(x, c0) { var c = c0; for i in 0..5 { if sum(square(c)) > 8.0 { break; } c = maximum(c, x[i]) * 1.25; } return c; }
fn column(x, c0) { var c = c0; for i in 0..5 { if sum(square(c)) > 1.0 { break; } c[i % 3] = tanh(c[1] + x[i, 0]) + c[0]; } return c; }
fn number(x, c0) { var c = c0; var t = 0.1 * sum(c); for i in 0..5 { if sum(square(c)) > 2.0 { break; } t = t * 0.9 + sum(c * x[i]); c = c + 0.5 * t; } return c * t; }
fn counted(x, c0) { var c = c0; var n = 0; for i in 0..5 { if sum(square(c)) > 1.5 { break; } if max(c) > 0.2 { n = n + 1; } c = tanh(c + x[i]); } return c * (n as f64); }

fn loss_greatest(x, c) { return finish(sum(sin(vmap(greatest)(x, c)))); }
fn loss_number(x, c) { return finish(sum(sin(vmap(number)(x, c)))); }
fn slopes_of(x, c) { return grad(loss_greatest)(x, c)[0]; }
op near(a[..], b[..]) -> [..] = abs(a - b);
fn same(a, b) { assert(max(near(a to B, b to B)) < 1e-12); }

main {
    let (xs, cs) = (x to S(0), from to S(0));
    let (ts, us) = (at to S(0), along to S(0));
    let (a, b, c, d) = (jvp(vmap(greatest))(xs, cs, ts, us)[1], jvp(vmap(column))(xs, cs, ts, us)[1], jvp(vmap(number))(xs, cs, ts, us)[1], jvp(vmap(counted))(xs, cs, ts, us)[1]);
    let (g, h) = (grad(loss_greatest)(xs, cs)[0], grad(loss_number)(xs, cs)[1]);
    let second = jvp(slopes_of)(xs, cs, ts, us)[1];
    print(sum(square(a)) to B, sum(square(b)) to B, sum(square(c)) to B, sum(square(d)) to B, sum(square(g)) to B, sum(square(h)) to B, sum(square(second)) to B, digits = 6);
    let (e, f) = (jvp(vmap(greatest))(x, from, at, along)[1], jvp(vmap(number))(x, from, at, along)[1]);
    for k in 0..4 {
        same(e[k], jvp(greatest)(x[k], from[k], at[k], along[k])[1]);
        same(f[k], jvp(number)(x[k], from[k], at[k], along[k])[1]);
        same(jvp(vmap(column))(x, from, at, along)[1][k], jvp(column)(x[k], from[k], at[k], along[k])[1]);
        same(jvp(vmap(counted))(x, from, at, along)[1][k], jvp(counted)(x[k], from[k], at[k], along[k])[1]);
    }
}
