// An assertion may say what is wrong.
//% fails the sum is too small
place p = ranks(0..2);
main { let x = iota(4) as f32 to @p : S(0); assert((sum(x) to B) > 10.0, "the sum is too small"); }
