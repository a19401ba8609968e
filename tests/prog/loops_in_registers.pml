// What a turn of a loop that is code keeps, and where: numbers that change places or begin with what was there before, indices that count from the
// end, elements at one place, elements of lists; no turn, one turn, as many as the program is told.
//% ranks 1 2
//% also --loops=unrolled
//% also --target-cpu=x86-64-v3
//% fails [--by=0 --check=finite] loops_in_registers.pml:59:13: error: `s` becomes nan in step 23 on rank 0
const N : int = 1;
const SIZE : int = 32;
config turns : int = 20;
config by : float = 2.0;
place all = ranks(0..N);
state a : f64[SIZE, 20] @ all = uniform(rng(5), [SIZE, 20], dtype = f64);
state bytes : i8[SIZE] @ all = ((iota(SIZE) * 13) % 64 - 32) as i8;
state words : i32[SIZE] @ all = ((iota(SIZE) * 7) % 64 - 32) as i32;
state counts : u8[SIZE] @ all = ((iota(SIZE) * 11) % 32) as u8;

// Each what another one was, and read behind a product, which needs some memory of its own.
fn swapped(a: f64[SIZE, 20], n: int) {
    var (x, y, z) = (a[1, 1], a[2, 2], 0.5);
    for i in 0..n { (x, y, z) = (y * 0.5 + z, x - 0.25 * y, x); }
    let g = (x * a) @ transpose(a);
    return [x, y + g[0, 0], z * g[1, 1]];
}

// From the end where they are negative.
fn indexed(a: f64[SIZE, 20], b: i8[SIZE], w: i32[SIZE], u: u8[SIZE]) {
    var x = a;
    for i in 0..SIZE {
        x[b[i], 0] *= 0.5;
        x[w[i], 1] += x[u[i], 2];
    }
    return x;
}

// Elements at one place.
fn placed(a: f64[SIZE, 20]) {
    var x = a;
    var s = 0.0;
    for i in 0..SIZE {
        s = s * 0.5 + x[30, 1];
        x[i, 2] = s - x[29, 2];
        x[30, 1] = 0.75 * s;
    }
    return x[0..4];
}

// One number of a list in each turn.
fn listed(a: f64[SIZE, 20], n: int) {
    let w = [a[0, 0], a[1, 0], a[2, 1]];
    var s = 0.5;
    for i in 0..n { s = s * 0.75 + w[i]; }
    return s;
}

// What becomes infinite in a turn is told of that turn, and is gone behind it.
fn quotients(a: f64[SIZE, 20], by: float) {
    var (x, s) = (a, 1.0);
    for i in 0..SIZE {
        s = 1.0 / (s / by + a[i, 0]);
        x[i, 1] = s;
    }
    return x;
}

main {
    for n in [17, 0, 1, 2, turns] { print(swapped(a, n)); }
    for n in [turns % 17, turns % 2] { print(swapped(a, n), listed(a, n)); }
    let x = indexed(a, bytes, words, counts);
    print(x[0..8, 0..3], sum(x * a));
    print(sum(quotients(a, by) * a));
    print(placed(a)[.., 0..3]);
}
