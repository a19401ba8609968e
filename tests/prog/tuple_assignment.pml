// Several variables, elements and states assigned at once; every value is computed before anything is assigned. By hand.
//% ranks 1 (2) 3
const N : int = 2;
place all = ranks(0..N);

state s : f32[3] @ all = ones();
state t : f32[3] @ all = zeros();

fn two(x) { return (x + 1.0, x * 2.0); }

main {
    var a = 1;
    var b = 2;
    (a, b) = (b, a);
    print(a, b);
    for i in 0..3 { (a, b) = (b, a + b); }
    print(a, b);
    var k = 0;
    while k < 3 {
        (k, (a, b)) = (k + 1, (b, a));
        (s, t) = (t, s + 1.0);
    }
    print(a, b, s, t);
    var x = zeros([3]) to @all : B;
    var y = x;
    for i in 0..4 { (x, y) = (y, x + 1.0); }
    (x[0], y[1..3]) = (x[1] + 5.0, x[0..2]);
    print(x, y);
    every 1 { (x, y) = two(y); }
    print(x, y);
    let c = uniform(rng(0), [2, 3, 4]);
    print(sum(square(c[.., 1, ..] - c[0..2, 1, 0..4])));
    var (n, m) = shape(reshape(x, [3, 1]));          // a shape comes apart into its sizes
    print(n, m);
    (n, m) = zeros([m, n]).shape;
    print(n, m);
}
