// What is no element type is told at the argument, not within the library.
main {
    print(eye(3, 3));                  //~ PML0209@18
    print(uniform(rng(1), [2], dtype = 2.0));    //~ PML0209@40
}
