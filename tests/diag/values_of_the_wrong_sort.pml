place left = ranks(0..1);
main {
    print("epoch" * 2);                       //~ PML0204@11
    print(left + 1);                          //~ PML0204@11
    print(true < false);                      //~ PML0204@11
    print(-"a");                              //~ PML0204@11
    print("epoch " + 2, 1 < 2);
    let a = zeros([3]) to @left : B;
    print(a @ 3);                             //~ PML0204@11
    print(sum("a" to @left));                 //~ PML0204
    print("a" as f32);                        //~ PML0204
    print(grad(3));                           //~ PML0204
}
