// An op is written out where it is called, so one that calls itself, or another that calls it, has no end.
op below(a[..]) -> [..] = below(a - 1) + 1;             //~ PML0504
op ping(a[..]) -> [..] = pong(a);
op pong(a[..]) -> [..] = 2 * ping(a);                   //~ PML0504
op twice(a[..]) -> [..] = relu(relu(a));

main {
    print(below(iota(3)));
    print(ping(iota(3)));
    print(twice(iota(3)));
}
