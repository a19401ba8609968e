main {
    let x = ones([2, 3]);
    print(shape(x)[2], x.shape[-3]);                  //~ PML0210@20 PML0210@32
}
