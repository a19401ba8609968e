import std.data;
main {
    let l = sum(ones([3]));
    if l { print("yes"); }                    //~ PML0501@8
    if l > 1.0 { print("yes"); }
    while 3 { print("never"); }               //~ PML0501@11
    for i in 3 { print(i); }                  //~ PML0501@14
    for i in 0..l { print(i); }               //~ PML0501
    for i in [1, 2] { print(i); }
    each (p, d) in 3 { print("x"); }          //~ PML0501
    every 0 { print("x"); }                   //~ PML0501
    let d = data.npy("x") as f32[_, 3];
    for x in d { print(sum(x)); }             //~ PML0501
    assert(3);                                //~ PML0501
    print(if 3 => 1 else 2);                  //~ PML0501
}
