// Options that are not of their type: no number, or none that there is in it.
//% fails [--n=many] `many` is not of type int
//% fails [--lr=1e39] `1e39` is not of type f32
config n : int = 3;
config lr : f32 = 0.1;
place p = ranks(0..2);
main { print(n, lr); }
