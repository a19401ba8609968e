place p = ranks(0..2);
main {
    let n = [3, 5] as i32 to @p : S(0);
    for t in 0..max(n) { print(t); }             //~ PML0310@17
}
