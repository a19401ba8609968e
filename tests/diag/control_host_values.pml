config n : int = 3;
main {
    let x = ones([3]);
    print(x);
    log(x = x, y = 2);                        //~ PML0506
    log(x = sum(x), y = "a");
    print(log);                               //~ PML0506
    if x > 0.0 { print("x"); }                //~ PML0506
    while true { print("x"); }                //~ PML0506
}
