// An assertion may say what is wrong, in words that the running program puts together.
//% fails error: the sum is 6, which is too small
place p = ranks(0..2);
main { let x = iota(4) as f32 to @p : S(0); assert((sum(x) to B) > 10.0, "the sum is " + format(sum(x) to B) + ", which is too small"); }
