// One message each, at the call: what stands behind it in the library is about sizes that nobody wrote.
import std.nn;
main {
    print(concat([]));                                                            //~ PML0203
    print(stack([]));                                                             //~ PML0203
    print(conv2d(ones([1, 3, 4, 4]), ones([2, 1, 2, 2]), groups = 2));            //~ PML0203
    print(conv1d(ones([1, 4, 4]), ones([2, 1, 2]), groups = 2));                  //~ PML0203
    print(nn.groupnorm(ones([1, 3, 4, 7]), groups = 2));                          //~ PML0203
    print(nn.rotary(ones([1, 3, 4, 7])));                                         //~ PML0203
    print(randint(rng(1), [3], 7, 2));                                            //~ PML0203
}
