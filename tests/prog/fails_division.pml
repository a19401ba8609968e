// Division of ints by zero in the running program names its place.
//% fails fails_division.pml:5:17: error: division by zero: 7 % 0
config n : int = 0;
place p = ranks(0..2);
main { print(1, 7 % n, 2); }
