main {
    let x = 1 //~ PML0002@14
    let y = 2;
    print(x + y) //~ PML0002@17
}
const A : int = 3 //~ PML0002@18
const B : int = 4;
