// `/` does not round: of ints of a tensor there is no quotient, in operators and index notation alike
main {
    let x = iota(4);
    print(x / 2, 7 / x, x / x);                //~ PML0202@11 PML0202@18 PML0202@25
    let y[i] = i / 2;                          //~ PML0202@16
    let z[i] = x[i] / (i + 1);                 //~ PML0202@16
    print(x / 2.0);                            //~ PML0202
    print(floor_div(ones([2]), 2));            //~ PML0209
    print(x % 0, floor_div(x, 0));             //~ PML0508@11 PML0508@18
    print(floor_div(x, 2), floor_div(7, x + 1), x % 2, x as f32 / 2.0);
    print(floor_div(7, x), x % [1, 2, 0, 3]);  //~ PML0508@11 PML0508@32
    let v[i] = x[i] % i;                       //~ PML0508@23
    let w[i] = floor_div(x[i], i + 1); print(w, y, z);
}
