// Which ranks are a mesh or stages is for a search to say.
place grid = auto(ranks(0..8));                      //~ PML0901@14
param w : f32[64, 64] @ grid : auto = zeros();
main {
    print(sum(w));
}
