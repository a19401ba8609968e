// A number that takes the type of what it meets fits into it; what is converted says so, and wraps.
state k : u8[2] = 256;                                  //~ PML0202@19
state one : u8 = 255;
op large(x[i]: i32) -> [i] = if x == 0 => 5000000000 else 1;    //~ PML0202@30
main {
    let x = iota(2) as i32;
    print(x + 5000000000);                              //~ PML0202@15
    print(where(x == 0, 1, 4294967296));                //~ PML0202@28
    print((x as u8) * 300);                             //~ PML0202@23
    print(large(x));
    one = -1;                                           //~ PML0202@11
    var y = x as u8;
    y[0] = 300;                                         //~ PML0202@12
    y[1] = 255;
    var z = x as u8;
    z[..] = [256, 1];                                   //~ PML0202@13
    print(x + [1, 5000000000], x + ([1, 5000000000] as i32));       //~ PML0202@15
    print(x + 2147483647, x - 2147483647 + (5000000000 as i32), [300, -1] as u8, (x as i64) + 5000000000);
}
