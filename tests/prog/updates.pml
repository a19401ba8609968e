// Elements and slices of tensors assigned: variables, params, states, in loops, with gradients. Values: numpy, by the same statements.
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);
param w : f32[6, 4] @ p : S(0) = reshape(iota(24) as f32, [6, 4]);
state seen : i32[5] @ p = zeros(dtype = i32);
param rows : [2] f32[3] @ p;

fn changed(x: f32[3]) {
    var y = w to B;
    y[1..4, 2] = x * 2.0;
    y[-1] = 0.0;
    return sum(y * y);
}

main {
    var a = zeros([4, 3]) to @p : S(0);
    a[1] = ones([3]);
    a[2, 1] = 5.0;
    a[3, ..] = iota(3) as f32;
    a[0..2, 2] = 7.0;
    print(a to B);
    a[.., 0] = iota(4) as f32;
    a[-1, -1] += 0.5;
    a[1..3, 1..3] *= 2.0;
    print(a to B);
    w[2..5, 1..3] = reshape(iota(6) as f32, [3, 2]) * -1.0;
    print(w to B);
    for i in 0..5 { seen[i] = i * i; }
    seen[2] += 10;
    print(seen);
    var flags = iota(6) > 10 to @p;
    flags[1..3] = iota(2) < 5;
    print(flags);
    rows[1] = ones([3]);
    rows[1][0] = 4.0;
    print(rows[0], rows[1]);
    for t in 0..4 { a[t, t % 3] = 100.0 * t; }
    print(a to B);
    let x = iota(3) as f32 to @p;
    print(changed(x), grad(changed, wrt = "x")(x), grad(changed)(x).w to B);
    var all = iota(4) to @p;
    all[..] = 9;
    print(all);
    var c = iota(7) as f32 to @p : S(0);
    c[2..5] = iota(3) as f32 + 20.0;
    c[1..3] -= 1.0;
    print(c to B);
}
