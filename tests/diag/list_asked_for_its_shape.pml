// A list of ints is a shape where one is wanted, but its own shape is that of the tensor it is not yet.
main {
    print(cumsum([1, 2, 9]));  //~ PML0209@18
    print(zeros([1, 2]).shape, rank([1, 2]), volume([3, 4]));
    print(shape([2, 3]));  //~ PML0209@17
}
