param w = zeros(); //~ PML0001@9
