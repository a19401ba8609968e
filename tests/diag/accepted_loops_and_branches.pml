config n : int = 3;
main {
    var i = 0;
    var x = ones([3]) to @ranks(0..1) : B;
    while i < n {
        i += 1;
        if i == 2 { x = x * 2.0; } else if i == 3 { x = -x; } else { x = x + 1.0; }
        every 2 { log(turn = i, x = sum(x)); }
    }
    while sum(x) < 100.0 { x = x * x; }
    for k in 0..n { for j in 0..k { print(k, j, k * j); } }
    for name in ["a", "b"] { print(name); }
    for d in shape(x) { print(d); }
    print(x);
}
