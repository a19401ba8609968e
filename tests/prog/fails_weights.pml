// A file of weights that is not one.
//% args --weights=examples/digits.pml
//% fails digits.pml
place p = ranks(0..2);
param w : f32[3] @ p = zeros();
main { print(w); }
