// Floats beside and beyond the limits of whole numbers, many enough for vectors of every width and a rest: truncated towards zero, what is
// beyond a limit becomes it, NaN becomes 0. Values: expected.py (Python's whole numbers).
//% ranks 1 2 (3 4)
const N : int = 1;
place p = ranks(0..N);

state zero : f64[1] @ p : B = zeros();

fn shown(name, x) {
    print(name, x as i8 to B, x as u8 to B, x as i16 to B, x as u16 to B);
    print(name, x as i32 to B, x as u32 to B, x as i64 to B, x as u64 to B, x as bool to B);
}

main {
    let limits = [0.0, 0.5, 1.0, 127.0, 127.75, 128.0, 129.0, 254.5, 255.0, 256.0, 32767.0, 32768.0, 65504.0, 65535.0, 65536.0, 2147483520.0,
                  2147483647.0, 2147483648.0, 4294967040.0, 4294967295.0, 4294967296.0, 9223371487098961920.0, 9223372036854775808.0,
                  18446742974197923840.0, 18446744073709551616.0] as f64;
    let all = concat([limits + zero, zero - limits, 1.0 / zero, -1.0 / zero, zero / zero]) to @p : S(0);
    shown("f64", all);
    shown("f32", all as f32);
    shown("bf16", all as bf16);
    shown("f16", all as f16);
    print(all as f16 as bf16 as f64 to B);
}
