//% ranks 1 (2) 3 (4)
//% rtol 1e-4
// Weights of 8 and 4 bits with a scale for each group of rows: bounds of the error, products of a few rows and of many, and a file of them.
import std.nn;

const N : int = 1;
place all = ranks(0..N);
param w : f32[96, 40] @ all : B = normal(std = 0.1);
struct Whole[k, n, p: place] { q : i8[k / 32, 32, n] @ p = zeros(), scale : f32[k / 32, n] @ p = zeros() }
state kept : Whole[96, 40, all];
config file : path = "/tmp/pml-quantised-test.safetensors";
names whole { kept.q = "w.q"; kept.scale = "w.scale"; w = none; halves.q = none; halves.scale = none; }
struct Halves[k, n, p: place] { q : u8[k / 32, 16, n] @ p = zeros(), scale : f32[k / 32, n] @ p = zeros() }
state halves : Halves[96, 40, all];
config file_of_halves : path = "/tmp/pml-quantised-test-4.safetensors";
names half { halves.q = "w.q"; halves.scale = "w.scale"; w = none; kept.q = none; kept.scale = none; }

fn largest(x) { return finish(max(abs(x))); }

// What holds for any number of bits: `limit` is what is lost of the largest product.
fn check(q, scale, limit) {
    let back = nn.dequantize(q, scale);
    let limits = reshape(broadcast(unsqueeze(scale, dim = 1), [3, 32, 40]), [96, 40]);
    print("half a step at most", finish(max(abs(back - w) - 0.5001 * limits)) <= 0.0);
    for rows in [1, 3, 4, 5, 33] {
        let x = normal(rng(rows), [rows, 96]) to @all : B;
        let y = nn.quantized(x, q, scale);
        assert_close(y, x @ back, rtol = 1e-5, atol = 1e-5);
        print(rows, "rows off by", largest(y - x @ w) < limit * largest(x @ w), sum(y));
    }
    let x = normal(rng(7), [2, 96]) to @all : B;
    assert_close(nn.quantized(x, q to S(2), scale to S(1)) to B, x @ back, rtol = 1e-5, atol = 1e-5);
}

main {
    let (q, scale) = nn.quantize(w, group = 32);
    print("largest", largest(q as i32));
    check(q, scale, 0.02);
    let (pairs, steps) = nn.quantize(w, group = 32, bits = 4);
    print("largest", largest(pairs as i32 % 16 - 8), largest(floor_div(pairs as i32, 16) - 8));
    check(pairs, steps, 0.3);
    let (none_q, none_scale) = nn.quantize(zeros([64, 2]) to @all);
    print("zeros", largest(none_q as i32), largest(none_scale), largest(nn.dequantize(none_q, none_scale)));
    (kept.q, kept.scale) = (q, scale);
    save(file, names = whole);
    (kept.q, kept.scale) = nn.quantize(0.0 * w, group = 32);
    load(file, names = whole);
    print("saved", largest(kept.q as i32 - q as i32), largest(kept.scale - scale));
    (halves.q, halves.scale) = (pairs, steps);
    save(file_of_halves, names = half);
    (halves.q, halves.scale) = nn.quantize(0.0 * w, group = 32, bits = 4);
    load(file_of_halves, names = half);
    print("saved", largest(halves.q as i32 - pairs as i32), largest(halves.scale - steps));
}
