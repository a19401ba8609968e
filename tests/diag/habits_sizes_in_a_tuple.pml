// Sizes are a list, in NumPy a tuple; the rest of the arguments is right.
main {
    print(zeros((4, 3)));                  //~ PML0209@17
    print(uniform(rng(1), (2, 3), 0.0));   //~ PML0209@27
}
