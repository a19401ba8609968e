// More elements than there are, dimensions named twice, windows larger than what they move over, the middle of nothing: there is no such value.
import std.windows;

main {
    let x = ones([2, 3]);
    let images = ones([1, 1, 2, 2]);
    print(top_k(x, 4));                             //~ PML0203
    print(sum(x, dim = [0, 0]));                    //~ PML0203
    print(conv2d(images, ones([1, 1, 3, 3])));      //~ PML0203
    print(max_pool2d(images, 3));                   //~ PML0203
    print(conv1d(ones([1, 1, 4]), ones([1, 1, 5])));//~ PML0203
    print(windows.max_pool1d(ones([1, 1, 4]), 5));  //~ PML0203
    print(median(ones([0])));                       //~ PML0203
    log(sum(x));                                    //~ PML0203
    print(conv2d(images, ones([1, 1, 3, 3]), pad = 1), top_k(x, 3), remat { log(sum(x)) });
}
