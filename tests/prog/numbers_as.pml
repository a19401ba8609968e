// `as` gives of a number of the host what an element of the type is after the same conversion of a tensor: known when compiling, of the running program, of
// the turns of loops. Each line has the host's and the tensor's.
//% ranks 1 2
const N : int = 1;
place p = ranks(0..N);
config n : int = 300;
config f : f64 = -130.75;
config big : f64 = 1.0e300;
param x : f32[2] @ p : B = ones();
state w : f32[4] @ p : S(0) = iota(4) as f32;

fn of_turns(count: int) {
    var s = 0.0;
    for i in 0..count { s = s + sum(x) * (i as u8) as f32 + sum(x) * ((i - 200) as i8) as f32; }
    return s;
}
fn lines(count: int) {            // a turn that is converted still names a line
    var s = 0.0;
    for i in 0..4 { s = s + x[0] * sum(w[i as i32] * 2.0); }
    return s to B;
}

main {
    let i = [300, -200, 70000, 5000000000] as i64;
    print(300 as u8, (-200) as u8, 70000 as u8, 5000000000 as u8, i as u8);
    print(300 as i8, (-200) as i8, 70000 as i8, 5000000000 as i8, i as i8);
    print(300 as i16, (-200) as i16, 70000 as i16, 5000000000 as i16, i as i16);
    print(300 as u32, (-200) as u32, 70000 as u32, 5000000000 as u32, i as u32);
    print(300 as i32, (-200) as i32, 70000 as i32, 5000000000 as i32, i as i32);
    print(n as u8, (n - 500) as u8, (n * 10000000) as i32, (n * 100000000) as u16, [n, n - 500, n * 10000000, n * 100000000] as i64 as u8);
    let g = [f, big, -big, 0.0 * (big * big)] as f64;
    print(f as i8, big as i8, (-big) as i8, (0.0 * (big * big)) as i8, g as i8);
    print(f as u8, big as u8, (-big) as u8, (0.0 * (big * big)) as u8, g as u8);
    print(f as i32, big as i32, (-big) as i32, (0.0 * (big * big)) as i32, g as i32);
    print(f as i64, big as i64, (-big) as i64, g as i64);
    print(16777217 as f32 == 16777216.0, (n + 16776917) as f32 - 16777216.0, 2049 as f16 - 2048.0, (n - 43) as bf16 - 256.0, 1e300 as f32);
    print((f / 3.0) as f32 == (f / 3.0), (0.5 * f) as f32 == 0.5 * f, (n > 3) as u8 + 1, true as f32);
    for i in 254..258 { print(i as u8, (i as i8) + 1, (i as u8) + (i as u8)); }
    let (l, d) = value_and_grad(of_turns)(n);
    print(l to B, d.x to B);
    print(grad(lines)(n).x to B);
    let u = [1, 2] as u8;
    print(u + n as u8, u + 200 as u8, full(n as u8, [2], u8));
}
