// The host reads finished values only.
place all = ranks(0..2);
main {
    let s = uniform(rng(1), [8]) to @all : S(0);
    print(sum(s));                                     //~ PML0310@11
    log(loss = mean(s));                               //~ PML0310@16
    if sum(s) > 1.0 { print("large"); }                //~ PML0307@8
    print(sum(s) to B, max(s) to B);
}
