// A quotient of ints by zero in the running program names its place and its numbers.
//% fails fails_ratio.pml:5:15: error: division by zero: 7 / 0
config n : int = 7;
place p = ranks(0..2);
main { print( n / (n - 7)); }
