// Conversions between element types: truncated towards zero, saturated, wrapped. Values: expected.py (numpy).
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);

main {
    let f = iota(6) as f32 * 0.75 - 1.0 to @p : S(0);
    print("f", f to B, f as f64 to B, f as f16 to B, f as bf16 to B, f as bf16 as f32 to B);
    print("ints", f as i8 to B, f as i16 to B, f as i32 to B, f as i64 to B);
    print("unsigned", f as u8 to B, f as u16 to B, f as u32 to B, f as u64 to B);
    print("bool", f as bool to B, (f > 0.0) as i32 to B, (f > 0.0) as f32 to B, (iota(3) as bool) to @p);
    let i = iota(5) * 100 - 200 to @p : S(0);
    print("i64", i to B, i as i8 to B, i as u8 to B, i as i16 to B, i as f32 to B, i as f64 / 3.0 to B);
    print("far", (f * 1e10) as i32 to B, (f * 1000.0) as i8 to B, (f * 1000.0) as u8 to B);
    print("third", (full(1.0, [2]) / 3.0) as bf16 to @p, (full(1.0, [2]) / 3.0) as f16 to @p, full(1.0, [2], dtype = f64) / 3.0 to @p);
    print("host", 3.7 as int, -3.7 as int, 3 as float, 2 as f32, (1.0 / 3.0) as f32, 0.1 as f64);
    let k = [0.1, 0.2] as f64 to @p;
    print("float", k as float, (0.1 as float - 0.1) * 1e12, (k as float).dtype, ((f as f16) as float).dtype, 16777217 as float == 16777217);
    print(f.dtype, i.dtype, (f as f16).dtype, (f > 0.0).dtype);
}
