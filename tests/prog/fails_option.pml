// An option that is not of its type.
//% args --n=many
//% fails `many` is not of type int
config n : int = 3;
place p = ranks(0..2);
main { print(n); }
