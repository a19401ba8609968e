// print in functions that are differentiated and in micro-batches: once for each time the function is computed, in the order of the program, also
// where it is walked twice; values and gradients are those without it.
//% ranks 1 (2 3) 4
const N : int = 1;
place p = ranks(0..N);
place first = ranks(0..1);
place last = ranks(N - 1..N);
param w : f32[3] @ p = [1.0, 2.0, 3.0];
param v : f32[3] @ last = ones();
state seen : f32 @ p = 0.0;

fn chatty(x: f32[4, 3] @ p : S(0), say = true) -> f32 @ p : B {
    var h = x * w;
    if say { print("begin", 3, end = ":\n"); }
    for i in 0..2 {
        h = h * 0.5 + w;
        if say { print("turn", i, h to B); }
    }
    let y = remat { let e = h * h; if say { print("again", max(e) to B); } e * h };
    let m = (sum(y) to B) to @last to @p;
    if say { print("sum", m, m > 0.0, m as f64, w); }
    return m;
}
fn square_of(x: f32[2]) { print("no params", x); return sum(x * x); }
fn cube(x: f32) { print("x", x); return x * x * x; }
fn slope(x: f32) { let d = grad(cube, wrt = "x")(x); print("slope", d); return d; }
fn helper(x: f32[2]) { print("called with", x); return x * 2.0; }
fn outer(x: f32[2]) { return sum(helper(helper(x))); }
fn counted(x: f32[12, 3] @ p : S(0)) -> f32 @ p : B { seen = seen + 1.0; print("seen", seen); return (mean(x * w) to B) * seen; }
fn staged(x: f32[2, 3] @ first) -> f32 @ last {
    let h = tanh(x);
    print("first", h);
    let y = (h to @last) * v;
    print("last", y);
    return sum(y * y);
}

main {
    let x = reshape(iota(12) as f32, [4, 3]) * 0.25 to @p : S(0);
    var step = 7;
    while step < 9 {
        let (l, g) = value_and_grad(chatty)(x);
        step += 1;
        print("after", step, l);
        let (q, d) = value_and_grad(chatty)(x, say = false);
        assert_equal(l, q);
        assert_equal(g.w, d.w);
    }
    print(grad(square_of)([3.0, 4.0] as f32));
    print(vjp(helper)([1.0, 2.0] as f32, [1.0, 0.0] as f32)[1], jvp(helper)([1.0, 2.0] as f32, [1.0, 0.0] as f32)[1]);
    print(grad(slope, wrt = "x")(sum([2.0] as f32)));
    print(grad(outer)(ones([2])));
    let g = grad(square_of)([5.0, 6.0] as f32);     // not used further: its line is
    print("then");
    let z = reshape(iota(108) as f32, [36, 3]) * 0.1 to @p : S(0);
    let (a, b) = microbatch(3) {
        let (l, g) = value_and_grad(counted)(z);
        print("micro-batch", l, "of", 3);
        (l, g)
    };
    print("all", a, b.w, seen);
    let u = reshape(iota(12) as f32, [4, 3]) * 0.1;
    let (c, d) = microbatch(2) { value_and_grad(staged)(u to @first) };
    print(c, d.v);
}
