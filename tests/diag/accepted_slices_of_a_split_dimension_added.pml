// Slices of a split dimension are parts, each rank's rows elsewhere: they add up, and are finished where they are to be.
place p = ranks(0..2);
main { let x = uniform(rng(1), [8]) to @p : S(0); print(x[1..7] + x[0..6] to B); }
