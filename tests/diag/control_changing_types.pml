config n : int = 3;
main {
    var total = 0;
    for i in 0..n { total += 0.5; }           //~ PML0505
    var y = ones([3]) to @ranks(0..1) : B;
    for i in 0..n { y = ones([4]) to @ranks(0..1) : B; }    //~ PML0505
    var z = 0.0;
    for i in 0..n { z += i; }
    print(total, sum(y), z, if n > 1 => 1 else "a");        //~ PML0505
}
