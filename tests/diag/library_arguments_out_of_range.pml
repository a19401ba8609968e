// Numbers that functions of the library cannot take are told at their calls.
import std.loss;
import std.nn;
import std.windows;

main {
    let x = ones([1, 4, 4, 4]);
    let w = ones([2, 4, 2, 2]);
    print(conv2d(x, w, stride = 0));  //~ PML0203
    print(conv2d(x, w, dilation = 0));  //~ PML0203
    print(conv2d(x, w, pad = -1));  //~ PML0203
    print(conv2d(x, w, groups = 0));  //~ PML0203
    print(max_pool2d(x, size = 0));  //~ PML0203
    print(avg_pool2d(x, stride = -1));  //~ PML0203
    print(conv_transpose2d(x, ones([4, 2, 2, 2]), stride = 0));  //~ PML0203
    print(conv_transpose2d(x, ones([4, 2, 2, 2]), pad = 3));  //~ PML0203
    print(upsample2d(x, times = 0));  //~ PML0203
    print(repeat(x, -1));  //~ PML0203
    print(tile(x, [1, 1, 1, -1]));  //~ PML0203
    print(eye(-1), linspace(0.0, 1.0, -1), permutation(rng(1), -1));  //~ PML0203@11 PML0203@20 PML0203@44
    print(windows.unfold(x, 0));  //~ PML0203
    print(windows.fold(ones([1, 8, 3]), 3, 3, 2));  //~ PML0203
    print(windows.adaptive_avg_pool(x, [0]), windows.adaptive_max_pool(x, [0]));  //~ PML0203@11 PML0203@46
    print(windows.pixel_shuffle(x, 3), windows.pixel_unshuffle(x, 3));  //~ PML0203@11 PML0203@40
    print(windows.conv3d(ones([1, 2, 3, 3, 3]), ones([1, 1, 1, 1, 1])));  //~ PML0203
    print(nn.patches(x, 3), nn.glu(ones([2, 3])));  //~ PML0203@11 PML0203@29
    print(cross(ones([5, 3]), ones([5, 1])), loss.huber(ones([2]), 0.0, delta = 0.0));  //~ PML0203@11 PML0203@46
    print(sum([1, 2, 3]));  //~ PML0209
    print(shape(repeat(x, 0)), shape(windows.pixel_shuffle(x, 2)), shape(eye(0)), shape(windows.conv3d(ones([1, 2, 3, 3, 3]), ones([1, 2, 1, 1, 1]))));
}
