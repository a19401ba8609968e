import std.optim;
place p = ranks(0..2);
param w : f32[3] @ p = zeros();
main { let opt = optim.SGD(lr = 0.1); opt.step(); }  //~ PML0110@24
