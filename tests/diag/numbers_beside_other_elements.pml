// What a number does not mix with, and operators of ints that are given floats.
state t : i32[4] = [1, 2, 3, 4];
state x : f32[4] = [1.0, 2.0, 3.0, 4.0];
state b : bool[4] = x > 2.0;
state u : i32[4] = uniform();  //~ PML0202@20

main {
    print(bitwise_and(t, 1.0));  //~ PML0202@26
    print(bitwise_and(x, 1));  //~ PML0202@23
    print(left_shift(t, 1.5));  //~ PML0202@25
    print(floor_div(t, 2.0));  //~ PML0209@24
    print(floor_div(x, 2));  //~ PML0209@21
    print(t * 2.0);  //~ PML0202@15
    print(b + 1);  //~ PML0202@15
    print(2.0 * b);  //~ PML0202@11
    print(where(t < 0, -1, t), sign(t as u8));
}
