// The layout of a cache is a contract: what it takes has to fit.
place p = ranks(0..2);
param w : f32[4] @ p = ones();
cache seen : f32[4] @ p : S(0) = zeros();
main {
    seen = w * 2.0;
    w = seen;                           //~ PML0303
}
