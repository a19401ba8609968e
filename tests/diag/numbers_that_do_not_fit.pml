const c : u8 = 300;                                   //~ PML0202
const d : u64 = -1;                                   //~ PML0202
const e : i32 = 3000000000;                           //~ PML0202
config k : i32 = 3000000000;                          //~ PML0202
config f : f64 = 2.5;
state s : u8[2] = [1, 300];                           //~ PML0202
state t : u64[2] = [1, -1];                           //~ PML0202
state u : u8[2] = full(300);                          //~ PML0202
state v : i32 = 1.5;                                  //~ PML0202
state w : i32[2] = [1.5, 2];                          //~ PML0202
state x : i32 = f;                                    //~ PML0202
fn of_bytes(b: u8) { return b; }
main {
    print(c, d, e, k, s, t, u, v, w, x);
    print(of_bytes(300));                             //~ PML0202
    let a : i8 = 128;                                 //~ PML0202
    print(a, s + 300, t + [1, -1], s + 300 as u16);   //~ PML0202 PML0202 PML0202
    print(3e10 as i32, 300.0 as u8, -1.5 as u8, (-1) as u64);       //~ PML0207 PML0207 PML0207
    print(-9223372036854775807 - 2, left_shift(1, 63), 3 ** 40);    //~ PML0207 PML0207 PML0207
    print(300 as u8, [300] as u8, 255.9 as u8, (-0.5) as u8);
}
