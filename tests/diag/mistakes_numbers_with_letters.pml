main {
    print(full(2, [3]) * 7to @world : B); //~ PML0013@26
}
