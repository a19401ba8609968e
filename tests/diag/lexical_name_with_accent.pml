main {
    let größe = 3;      //~ PML0004@9
    print("größe" + π); //~ PML0004@23
}
