main { each (p, d) in [1, 2] { print(p); } }  //~ PML0501@23
