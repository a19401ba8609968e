param b : f32[3, 2] = zeros();

names lines {
    b += "b";                                       //~ PML0223
    let x = "b";                                    //~ PML0223
    b[n, h] = "b"[n, z + h];                        //~ PML0101
    c = "c";                                        //~ PML0101
}
