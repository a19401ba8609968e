// Tensors written into .npy files, in every layout and of every element type, and read back the same, bit for bit.
//% ranks 1 (2) 3 (4)
import std.data;
const N : int = 1;
place p = ranks(0..N);
place last = ranks(N - 1..N);
param w : f32[5, 4] @ p : S(0) = normal();
state steps : i64[7] @ p = 3;

fn halves(x) { return x / 2.0 - 3.0; }

main {
    // Layouts: split, whole, on some ranks only, on none yet; a param, a state, what an earlier region made.
    let early = w * 2.0;
    print("w", sum(early) to B);
    data.save_npy(w, "rows.npy");
    data.save_npy(w to S(1), "columns.npy");
    data.save_npy(w to B, "whole.npy");
    data.save_npy(w to @last : B, "last.npy");
    data.save_npy(early, "early.npy");
    data.save_npy(steps, "steps.npy");
    let w4 = data.npy("rows.npy", "columns.npy", "whole.npy", "last.npy") as (f32[5, 4], f32[5, 4], f32[5, 4], f32[5, 4]);
    for (a, b, c, d) in data.batches(w4, size = 5) {
        assert_equal(a to @p : S(0), w);
        assert_equal(b to @p : S(0), w);
        assert_equal(c to @p : S(0), w);
        assert_equal(d to @p : S(0), w);
    }
    for (x, n) in data.batches(data.join(data.npy("early.npy") as f32[_, 4], data.npy("rows.npy") as f32[_, 4]), size = 5) {
        assert_equal(x to @p : S(0), early);
        assert_equal(n to @p : S(0), w);
    }
    for n in data.batches(data.npy("steps.npy") as i64[_], size = 7) { assert_equal(n to @p, steps); }

    // Element types.
    let x = iota(6) to @p : S(0);
    data.save_npy(halves(x as f32), "f32.npy");
    data.save_npy(halves(x as f64), "f64.npy");
    data.save_npy(halves(x as f16), "f16.npy");
    data.save_npy((x - 3) as i8, "i8.npy");
    data.save_npy((x - 3) as i16, "i16.npy");
    data.save_npy((x - 3) as i32, "i32.npy");
    data.save_npy(((x - 3) as i64) * 5000000000, "i64.npy");
    data.save_npy((x + 250) as u8, "u8.npy");
    data.save_npy((x + 65530) as u16, "u16.npy");
    data.save_npy((x as u32) + 4294967290, "u32.npy");
    data.save_npy((x as u64) + 9000000000, "u64.npy");
    data.save_npy(x > 2, "bool.npy");
    let floats = data.npy("f32.npy", "f64.npy", "f16.npy") as (f32[_], f64[_], f16[_]);
    for (a, b, c) in data.batches(floats, size = 6) { print(a to @p, b to @p, c to @p); }
    let small = data.npy("i8.npy", "i16.npy", "u8.npy", "u16.npy") as (i8[_], i16[_], u8[_], u16[_]);
    for (a, b, c, d) in data.batches(small, size = 6) { print(a to @p, b to @p, c to @p, d to @p); }
    let large = data.npy("i32.npy", "i64.npy", "u32.npy", "u64.npy") as (i32[_], i64[_], u32[_], u64[_]);
    for (a, b, c, d) in data.batches(large, size = 6) { print(a to @p, b to @p, c to @p, d to @p); }
    for a in data.batches(data.npy("bool.npy") as bool[_], size = 6) { print(a to @p); }

    // Not a number and the infinities; no dimension; no elements; many dimensions.
    data.save_npy([0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0, -0.0] as f32, "odd.npy");
    for a in data.batches(data.npy("odd.npy") as f32[_], size = 4) { print(a to @p, 1.0 / (a to @p)); }
    data.save_npy(sum(w) to B, "number.npy");
    for a in data.batches(data.npy("number.npy") as f32[_], size = 1) { assert_equal((a to @p)[0], sum(w) to B); }
    data.save_npy(zeros([0, 3]) to @p : S(0), "none.npy");
    data.save_npy(zeros([3, 0]), "thin.npy");
    print(data.rows(data.npy("none.npy") as f32[_, 3]), data.rows(data.npy("thin.npy") as f32[_, 0]));
    data.save_npy(reshape(iota(48) as i32, [2, 3, 1, 4, 2]) to @p : S(3), "many.npy");
    for a in data.batches(data.npy("many.npy") as i32[_, 3, 1, 4, 2], size = 2) { assert_equal(reshape(a, [48]) to @p, iota(48) as i32); }

    // Again and again into one file, with a name made at run time.
    for i in 0..3 {
        w = w + 1.0;
        data.save_npy(w, "w" + i + ".npy");
        data.save_npy(w, "rows.npy");
    }
    for (a, b) in data.batches(data.npy("w2.npy", "rows.npy") as (f32[_, 4], f32[_, 4]), size = 5) {
        assert_equal(a to @p : S(0), w);
        assert_equal(b to @p : S(0), w);
    }
}
