// Messages name what the user wrote, not what it is made of.
place p = ranks(0..4);
main {
    let a = uniform(rng(1), [6, 8]) to @p : S(1);
    let b = uniform(rng(2), [6, 8]) to @p : S(0);
    let v = uniform(rng(3), [6, 2]) to @p : S(1);
    print(sum(sort(a)) to B);                                        //~ PML0304@15
    print(sum(if (sum(a) to B) > 1.0 => a else b) to B);             //~ PML0304@15
    var x = b;
    x[0..6, 1..3] = v;                                               //~ PML0304@21
    x[0..6, 1..3] = v to S(0);
    print(sum(x) to B);
}
