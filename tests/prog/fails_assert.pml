// An assertion that does not hold ends the program with its text.
//% fails assert((sum(x) to B) > 10.0)
place p = ranks(0..3);
main { let x = iota(4) as f32 to @p : S(0); assert((sum(x) to B) < 10.0); assert((sum(x) to B) > 10.0); print("never"); }
