// What a condition keeps within in turns that are too many to be walked one by one: the last of them would read outside.
//% ranks 1 (2)
const LONG : int = 70000;
const N : int = 1;
place all = ranks(0..N);
state z : f64[LONG] @ all = (iota(LONG) % 7) as f64;
fn rises(z: f64[LONG]) {
    var c = 0;
    for i in 0..LONG { if i + 1 < LONG && z[i + 1] > z[i] { c += 1; } }
    return c;
}
main { print(rises(z)); }
