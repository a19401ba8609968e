import std.loss;
place p = ranks(0..2);
main { let x = zeros([4, 3]) to @p; let t = zeros([5], dtype = i32) to @p; print(loss.cross_entropy(x, t)); }  //~ PML0201@82
