// 7 / 2 is 3.5 whoever divides; where an int is needed it says why it is none
const A : int = 7;
const H : int = A / 2;                         //~ PML0209@17
config b : int = 7;
param w : f32[A / 2] = zeros();                //~ PML0206@15
main {
    let h = A / 2;
    print(h, b / 2, A / 7 + 1, ones([A / 7 + 1]));
    let y = ones([8])[0..h];                   //~ PML0206@26
    let z = ones([8])[h];                      //~ PML0204@23
    for i in 0..h { print(i, y, z, w); }       //~ PML0501
    print(b / 0, b % 0, A / 0, A / 0.0);       //~ PML0508@11 PML0508@18 PML0508@25
}
