fn f(x { return x; } //~ PML0001
main {
    let = 3; //~ PML0001@9
    let a = (1 + ); //~ PML0001@18
    let b = 2;
    for i on 0..3 { print(i) } //~ PML0001@11
    let c = [1, 2; //~ PML0003@18
    if b { print(b); } else print(c); //~ PML0001@29
}
param w : = 3; //~ PML0001@11
