// So does one that is rounded.
//% fails fails_floor_div.pml:5:15: error: division by zero: floor_div(-7, 0)
config n : int = 7;
place p = ranks(0..2);
main { print( floor_div(-n, n - 7)); }
