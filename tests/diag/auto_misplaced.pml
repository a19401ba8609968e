place a = auto(8);                                   //~ PML0001@16
place c = ranks(0..8) as (dp = auto, tp = auto);     //~ PML0001@32
place d = ranks(auto);                               //~ PML0001@17
place e = ranks(0..auto);                            //~ PML0001@20
place grid = ranks(0..8);
param v : f32[64, 64] @ auto = zeros();              //~ PML0001@25
param w : f32[64, 64] @ grid : S(auto) = zeros();    //~ PML0001@34
const n : int = auto;                                //~ PML0001@17
main {
    let x = w to @auto;                              //~ PML0001@19
    print(auto);                                     //~ PML0001@11
}
