// An op that mentions its operand twice, called with itself thirty times: written out, its line has 2^30 points.
op g(a[..]) -> [..] = 0.5 * a + 0.25 * max(a, 0.1);
op h(a[..]) -> [..] = g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(g(a))))))))))))))))))))))))))))));     //~ PML0511
op few(a[..]) -> [..] = g(g(g(g(a))));

main {
    print(h(ones([4])));
    print(few(ones([4])));
    var y = ones([4]);
    for i in 0..30 { y = g(y); }
    print(y);
}
