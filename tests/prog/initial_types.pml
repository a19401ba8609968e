//% ranks 1 (2)
// What an initial value converts or compares has its own element type, not that of the slot; signs of what is unsigned.
const N : int = 1;
place all = ranks(0..N);

state drawn : i32[4] @ all = (10.0 * uniform(rng(1), [4])) as i32;
state keyed : i32[40] @ all = (10.0 * uniform()) as i32;
state above : bool[4] @ all = uniform(rng(1), [4]) > 0.5;
state both : bool[4] @ all = uniform(rng(1), [4]) > 0.5 && ones([4]) + 0.5 == 1.5;
state wide : f64[2] @ all = full(0.1, [2]);
state narrow : f64[2] @ all = full(0.1, [2]) as f64;
state sum_of : f64[2] @ all = 0.1 + ones();
state bytes : u8[3] @ all = [0, 5, 255];

main {
    print(drawn, any(keyed > 0), above, both);
    print(wide, narrow, sum_of);
    let s[i] = sign(bytes[i]);
    print(sign(bytes), s, sign(bytes as u32), sign(bytes as i8));
}
