import std.data;
import std.loss;
import std.nn;
import std.optim;
place left  = ranks(0..2);
place right = ranks(2..4);
place all   = ranks(0..4);
param w : f32[16, 8] @ left = normal(std = 0.1);
param v : f32[8, 4] @ right : S(0) = normal(std = 0.1);
