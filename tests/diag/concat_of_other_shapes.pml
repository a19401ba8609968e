main {
    let a = ones([2, 3]);
    print(concat([a, ones([2, 4])], dim = 0));      //~ PML0203@22
    print(concat([a, ones([2, 1])], dim = 0));      //~ PML0203@22
    print(concat([a, ones([3])], dim = 0));         //~ PML0203@22
    print(stack([a, ones([2, 1])]));                //~ PML0203@21
    print(concat([a, ones([2, 4])]), concat([a, ones([0, 3])], dim = -2), stack([a, a]));
}
