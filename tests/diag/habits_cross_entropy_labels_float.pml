import std.loss;
place p = ranks(0..2);
main { let x = zeros([4, 3]) to @p; let t = zeros([4]) to @p; print(loss.cross_entropy(x, t)); }  //~ PML0202@91
