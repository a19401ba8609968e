main {
    let a = true and false; //~ PML0001@18
    let b = !true;
}
