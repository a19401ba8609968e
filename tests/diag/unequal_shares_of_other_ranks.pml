// A layout parameter that stands for shares of two ranks stands for equal ones on three.
place p = ranks(0..2);
place q = ranks(0..3);
fn both[l: layout](x: f32[6, 4] @p : l, y: f32[6, 4] @q : l) { return sum(x to B to @q : B) + sum(y) to B; }
main {
    let x = uniform(rng(1), [6, 4]) to @p : S(0, shares = [1, 5]);
    let y = uniform(rng(1), [6, 4]) to @q : S(0, shares = [1, 5, 6]);
    print(both(x, x to @q));
    print(both(x, y)); //~ PML0305
}
