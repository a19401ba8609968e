// What is repeated to a shape has no more than that.
state x : f32[2, 4] = ones();

main {
    print(broadcast(x, [4]));  //~ PML0201@24
    print(broadcast(x, [2, 1]));  //~ PML0201@24
    print(x[..-9]);  //~ PML0210@15
    print(broadcast(x[0], [3, 4]), broadcast(x, [3, 2, 4]), broadcast(1.0, [2, 2]));
}
