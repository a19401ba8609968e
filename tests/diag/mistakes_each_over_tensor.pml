main { let x = zeros([3]); each (p, d) in x { print(p); } }  //~ PML0501@43
