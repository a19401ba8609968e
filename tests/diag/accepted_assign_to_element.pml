place p = ranks(0..2);
main { var x = zeros([5]) to @p; x[0] = 1.0; print(x); }
