// Values of one name are told apart where graphs are printed and read again.
// pmlc: --verify-each
place p = ranks(0..2);
main {
    let f = iota(6) as f32 to @p : S(0);
    for i in 0..2 {
        let f = iota(4) as f32 to @p : B;
        print("x", f);
    }
    print("x", f to B, sum(f) to B);
}
