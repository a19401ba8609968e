// A wrong index among many, of every type of ints: the first, one in the middle, the last, too large or negative. 0 to 199 are right.
//% ranks 1 (4)
//% fails [--case=1 --at=0 --k=-1] error: index -1 is out of range, `take` takes 0 to 199
//% fails [--case=1 --at=0 --k=-1] help: a `?` behind an index that may be outside
//% fails [--case=1 --at=998 --k=-128] error: index -128 is out of range, `take` takes 0 to 199
//% fails [--case=2 --at=500 --k=200] error: index 200 is out of range, `take` takes 0 to 199
//% fails [--case=2 --at=998 --k=255] error: index 255 is out of range, `take` takes 0 to 199
//% fails [--case=3 --at=17 --k=-1] error: index -1 is out of range, `take` takes 0 to 199
//% fails [--case=3 --at=998 --k=200] error: index 200 is out of range, `take` takes 0 to 199
//% fails [--case=4 --at=0 --k=200] error: index 200 is out of range, `take` takes 0 to 199
//% fails [--case=4 --at=500 --k=65535] error: index 65535 is out of range, `take` takes 0 to 199
//% fails [--case=5 --at=500 --k=200] error: index 200 is out of range, `take` takes 0 to 199
//% fails [--case=5 --at=998 --k=-2147483648] error: index -2147483648 is out of range, `take` takes 0 to 199
//% fails [--case=6 --at=500 --k=200] error: index 200 is out of range, `take` takes 0 to 199
//% fails [--case=6 --at=998 --k=4294967295] error: index 4294967295 is out of range, `take` takes 0 to 199
//% fails [--case=7 --at=0 --k=-1] error: index -1 is out of range, `take` takes 0 to 199
//% fails [--case=7 --at=500 --k=4294967296] error: index 4294967296 is out of range, `take` takes 0 to 199
//% fails [--case=7 --at=998 --k=-9223372036854775807] error: index -9223372036854775807 is out of range, `take` takes 0 to 199
//% fails [--case=8 --at=17 --k=200] error: index 200 is out of range, `take` takes 0 to 199
//% fails [--case=8 --at=998 --k=-1] error: index 18446744073709551615 is out of range, `take` takes 0 to 199
const N : int = 1;
place p = ranks(0..N);
config case : int = 0;   // 0: all, which are right with k = 127
config at   : int = 998;
config k    : int = 127;

state i8s  : i8[999] @ p = zeros();
state u8s  : u8[999] @ p = zeros();
state i16s : i16[999] @ p = zeros();
state u16s : u16[999] @ p = zeros();
state i32s : i32[999] @ p = zeros();
state u32s : u32[999] @ p = zeros();
state i64s : i64[999] @ p = zeros();
state u64s : u64[999] @ p = zeros();

main {
    let x = iota(200) as f32 to @p;
    let i = where(iota(999) == at, k, iota(999) % 100) to @p;
    i8s = i as i8;
    u8s = i as u8;
    i16s = i as i16;
    u16s = i as u16;
    i32s = i as i32;
    u32s = i as u32;
    i64s = i;
    u64s = i as u64;
    if case == 0 || case == 1 { print(sum(take(x, i8s))); }
    if case == 0 || case == 2 { print(sum(take(x, u8s))); }
    if case == 0 || case == 3 { print(sum(take(x, i16s))); }
    if case == 0 || case == 4 { print(sum(take(x, u16s))); }
    if case == 0 || case == 5 { print(sum(take(x, i32s))); }
    if case == 0 || case == 6 { print(sum(take(x, u32s))); }
    if case == 0 || case == 7 { print(sum(take(x, i64s))); }
    if case == 0 || case == 8 { print(sum(take(x, u64s))); }
}
