// How many turns a loop makes is one integer of a tensor: read by the host, or in the graph of what is differentiated.
//% ranks 1 2 (3)
const N : int = 1;
place all = ranks(0..N);

fn upto(x: f32[6] @ all, first, n) {
    var s = 0.0;
    for t in first..(max(n) to B) { s += x[t] * x[t]; }
    return s;
}
fn masked(x: f32[3, 6] @ all : S(0), n: i64[3] @ all : S(0), longest: int) {
    var s = 0.0;
    for t in 0..longest - 1 { s += sum(where(t < n, x[.., t], 0.0)); }
    return s to B;
}

main {
    let n = [2, 5, 3] as i32 to @all : S(0);
    for t in (min(n) to B)..3 { print(t); }
    for t in 4..(min(n) to B) + 1 { print("no turn", t); }
    let x = linspace(1.0, 6.0, 6) to @all;
    print(upto(x, 3, n), grad(upto, wrt = "x")(x, 3, n));
    let rows = broadcast(x, [3, 6]) to S(0);
    let (s, d) = value_and_grad(masked, wrt = "x")(rows, n as i64, max(n) to B);
    print(s, d to B);
}
