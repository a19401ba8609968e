main {
    let < = 3;       //~ PML0001@9
    let x = < 3;     //~ PML0001@13
    let y = 0 .. ;   //~ PML0001@18
}
