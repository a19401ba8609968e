main {
    let l = 0.5;
    print(f"loss {l:.3f}"); //~ PML0001@12
    print(l);
}
