// Tensors that differ on one rank end the program on all.
//% fails the largest difference is 1 at [5]: 5 and 6
place p = ranks(0..4);
main { let x = iota(6) as f32 to @p : S(0); assert_close(x, where(x > 4.0, x + 1.0, x), rtol = 0.0, atol = 0.25); }
