// A name that is assigned and was never declared is one mistake, however often it is read afterwards.
main {
    total = 0.0; //~ PML0101@5
    for i in 0..3 { total += 1.0; }
    print(total, total);
}
