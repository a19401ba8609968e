main {
    let a = 1 # 2; //~ PML0004@15
    let b = $3; //~ PML0004@13
    let c = 'x'; //~ PML0004@13
    let d = 1 & 2; //~ PML0004@15
}
