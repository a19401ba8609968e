// A program that wants 3.2 GB on each of two ranks.
place all = ranks(0..2);
param w : f32[20000, 40000] @ all : B = zeros();
main { print("sum", sum(w)); }
