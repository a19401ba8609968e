// Saved and loaded in other layouts, into what was changed since. Values by hand.
//% ranks 1 (2 3) 4
const N : int = 1;
place p = ranks(0..N);
param a : f32[5, 2] @ p : S(0) = reshape(iota(10) as f32, [5, 2]);
param b : f32[3] @ p : S(0) = full(0.5);
param h : f16[3] @ p = full(1.5, dtype = f16);
struct Two { x : f32[2] @ p = ones(), y : f64[2] @ p : S(0) = full(7, dtype = f64) }
param t : [2] Two;
config file : path = "/tmp/pml-saved-test.safetensors";

main {
    save(file);
    a = a * 0.0;
    b = b + 1.0;
    h = h * 2.0;
    t[1].x = t[1].x * 5.0;
    print(a to B, b to B, h, t[1].x, t[0].y to B);
    load(file);
    print(a to B, b to B, h, t[1].x, t[0].y to B);
}
