// Options of every type, in every way they may be written, and computed from each other.
//% ranks 1 2
//% args --i=-3 --f 2.5 --d=1e-3 --b --s=two_words --p=/a/b
config i : int = 3;                /// an int
config j : i64 = 4;
config f : f32 = 0.5;
config d : f64 = 0.25;
config b : bool = false;
config c : bool = true;
config s : string = "one";
config t : string = "";
config p : path = "/";
const N : int = 1;
place all_ranks = ranks(0..N);
main {
    print(i, j, f, d, b, c, s, t, p);
    print(i * j, f + d, b || c, s + t, p / s);
    let x = full(1.0, [3]) to @all_ranks;
    print(x * f, x * i, where(x > d, x, 0.0 * x), if b => x else -x);
}
