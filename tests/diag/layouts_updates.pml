// Params and kept variables stay as they are laid out.
place all = ranks(0..2);
param w : f32[8, 4] @ all : B = zeros();
param v : f32[8, 4] @ all : S(0) = zeros();
main {
    let x = uniform(rng(1), [8, 4]) to @all : S(0);
    w = w + 1.0;
    v = v + x;
    v = w;
    w = x;                                             //~ PML0303@9
    v = x to S(1);                                     //~ PML0303@9
}
