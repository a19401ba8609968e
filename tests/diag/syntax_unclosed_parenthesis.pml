main {
    let y = print((1 + 2); //~ PML0003@26
    let z = [1, 2); //~ PML0003@18
}
