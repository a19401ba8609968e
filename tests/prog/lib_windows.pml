// std.windows, groupnorm of other dimensions, instancenorm and activations: values and derivatives, whole and split over images and channels. Values: expected.py
// (torch).
//% ranks 1 2 (4)
import std.nn;
import std.windows;
const N : int = 1;
place p = ranks(0..N);

fn waves(shape: shape, step) { return sin(reshape(iota(volume(shape)) as f64, shape) * step + 0.3); }
fn begun(shape: shape) { return waves(shape, 0.37) to @p; }

// The value and the derivative along waves, as sums with two other waves; that both are the same where images and channels are split, if they may be, and
// the value in f32.
fn shown(name: string, f, x, channels: bool) {
    let ct = waves(shape(f(x)), 1.7) to @p;
    let (y, d) = vjp(f)(x, ct);
    print(name, shape(y), sum(y * waves(shape(y), 0.9)), sum(y * y), sum(d * waves(shape(d), 0.9)), sum(d * d));
    var same = max(abs(f(x as f32) as f64 - y)) < 1e-4;
    for other in if channels => [x to S(0), x to S(1)] else [x to S(0)] {
        let (z, e) = vjp(f)(other, ct);
        same = same && max(abs((z to B) - y)) < 1e-12 && max(abs((e to B) - d)) < 1e-12;
    }
    print(same);
}

fn filters[t: float](x: t[..], shape: shape) { return waves(shape, 0.11) as t to @p; }
fn conv3(x) { return windows.conv3d(x, filters(x, [4, 4, 3, 2, 3]), stride = 2, pad = 1); }
fn conv3_grouped(x) { return windows.conv3d(x, filters(x, [4, 2, 2, 2, 2]), dilation = 2, groups = 2); }
fn up1(x) { return windows.conv_transpose1d(x, filters(x, [4, 3, 4]), stride = 2, pad = 1); }
fn up3(x) { return windows.conv_transpose3d(x, filters(x, [4, 2, 3, 3, 3]), stride = 2, pad = 1); }
fn largest1(x) { return windows.max_pool1d(x, size = 3, stride = 2, pad = 1); }
fn mean1(x) { return windows.avg_pool1d(x, size = 3, stride = 2, pad = 1); }
fn largest3(x) { return windows.max_pool3d(x, size = 3, stride = 2, pad = 1); }
fn mean3(x) { return windows.avg_pool3d(x, size = 2, stride = 1); }
fn parts1(x) { return windows.adaptive_avg_pool(x, [4]); }
fn parts2(x) { return windows.adaptive_avg_pool(x, [3, 7]); }
fn largest_parts(x) { return windows.adaptive_max_pool(x, [3, 4]); }
fn columns(x) { return windows.unfold(x, 3, stride = 2, pad = 1); }
fn columns_apart(x) { return windows.unfold(x, 2, dilation = 2); }
fn together(x) { return windows.fold(x, 5, 6, 2, stride = 2, pad = 1); }
fn larger(x) { return windows.resize(x, [9, 11]); }
fn smaller(x) { return windows.resize(x, [4, 3]); }
fn larger_by_points(x) { return windows.resize(x, [9, 11], aligned = true); }
fn longer(x) { return windows.resize(x, [17]); }
fn larger3(x) { return windows.resize(x, [7, 5, 8]); }
fn nearest(x) { return windows.resize(x, [9, 4], smooth = false); }
fn scale(x) { return filters(x, [4]); }
fn grouped(x) { return nn.groupnorm(x, scale(x), 2.0 * scale(x), groups = 2); }
fn plainly_grouped(x) { return nn.groupnorm(x, groups = 2); }
fn alone(x) { return nn.instancenorm(x, scale(x), 2.0 * scale(x)); }
fn plainly_alone(x) { return nn.instancenorm(x); }
fn to_larger(x) { return windows.pixel_shuffle(x, 2); }
fn to_smaller(x) { return windows.pixel_unshuffle(x, 2); }
fn leaky(x) { return nn.prelu(x, scale(x)); }
fn bent(x) { return nn.celu(x, alpha = 0.3); }
fn signed(x) { return nn.softsign(x); }
fn soft(x) { return nn.soft_shrink(x, by = 0.41); }
fn hard(x) { return nn.hard_shrink(x, by = 0.41); }
fn unit(x) { return nn.normalize(x, dim = 1); }
fn flat(x) { return conv2d(x, filters(x, [6, 2, 1, 3]), stride = [2, 1], pad = [0, 1], dilation = [1, 2], groups = 2); }
fn flat3(x) { return windows.conv3d(x, filters(x, [2, 4, 1, 2, 3]), stride = [1, 2, 1], pad = [0, 1, 1]); }
fn up_flat(x) { return conv_transpose2d(x, filters(x, [4, 3, 2, 3]), stride = [3, 2], pad = [0, 1], after = [2, 1], dilation = [2, 1], groups = 2); }
fn up_flat1(x) { return windows.conv_transpose1d(x, filters(x, [4, 1, 2]), stride = 2, after = 1, dilation = 3, groups = 4); }
fn up_flat3(x) { return windows.conv_transpose3d(x, filters(x, [4, 1, 1, 2, 2]), stride = [1, 2, 3], after = [0, 1, 2], groups = 2); }
fn largest_apart(x) { return max_pool2d(x, size = 3, stride = [1, 2], pad = 1, dilation = [2, 1]); }
fn largest_to_the_end(x) { return max_pool2d(x, size = 3, stride = 2, ceil = true); }
fn largest_to_the_end1(x) { return windows.max_pool1d(x, size = 2, stride = 3, pad = 1, dilation = 2, ceil = true); }
fn largest_to_the_end3(x) { return windows.max_pool3d(x, size = 2, stride = 3, dilation = [1, 2, 1], ceil = true); }
fn mean_to_the_end(x) { return avg_pool2d(x, size = 3, stride = 2, pad = 1, ceil = true); }
fn mean_there_to_the_end(x) { return avg_pool2d(x, size = 3, stride = 2, pad = 1, padded = false, ceil = true); }
fn mean_to_the_end1(x) { return windows.avg_pool1d(x, size = 4, stride = 3, pad = 1, ceil = true); }
fn mean_to_the_end3(x) { return windows.avg_pool3d(x, size = [2, 3, 4], stride = [2, 3, 3], pad = 1, ceil = true); }
fn largest_flat(x) { return max_pool2d(x, size = [2, 3], stride = [1, 2], pad = [1, 0]); }
fn mean_there(x) { return avg_pool2d(x, size = [3, 2], stride = [2, 1], pad = [1, 0], padded = false); }
fn mean_there1(x) { return windows.avg_pool1d(x, size = 3, stride = 2, pad = 1, padded = false); }
fn mean_there3(x) { return windows.avg_pool3d(x, size = [1, 2, 3], stride = [1, 2, 2], pad = [0, 1, 1], padded = false); }
fn columns_flat(x) { return windows.unfold(x, [1, 3], stride = [2, 1], pad = [0, 1], dilation = [1, 2]); }
fn together_flat(x) { return windows.fold(x, 5, 6, [2, 1], stride = [1, 2]); }
fn mirrored(x) { return pad(pad(x, 2, 3, mode = "reflect"), 1, 3, dim = 2, mode = "reflect"); }
fn mirrored_whole(x) { return pad(x, 2, 3, dim = 2, mode = "symmetric"); }
fn repeated(x) { return pad(x, 2, 3, dim = 2, mode = "edge"); }
fn around(x) { return pad(x, 2, 3, dim = 2, mode = "wrap"); }
fn cubic(x) { return windows.resize(x, [9, 4], cubic = true); }
fn cubic_by_points(x) { return windows.resize(x, [4, 9], aligned = true, cubic = true); }
fn grid(x) { return windows.affine_grid(filters(x, [4, 2, 3]) * 1.3, 5, 4); }
fn sampled(x) { return windows.grid_sample(x, grid(x)); }
fn sampled_by_points(x) { return windows.grid_sample(x, grid(x), aligned = true, edge = true); }
fn sampled_nearest(x) { return windows.grid_sample(x, grid(x), smooth = false); }
fn sampled_at(x) { return windows.grid_sample(filters(x, [4, 3, 5, 6]), x, edge = true); }
fn filled(x) { return pad(x, 2, 1, dim = 2, value = 0.7); }

main {
    let sequence = begun([4, 4, 11]);
    let image = begun([4, 4, 6, 7]);
    let volume = begun([4, 4, 5, 4, 6]);
    shown("conv3d", conv3, volume, false);
    shown("conv3d", conv3_grouped, volume, false);
    shown("conv_transpose1d", up1, sequence, false);
    shown("conv_transpose3d", up3, volume, false);
    shown("max_pool1d", largest1, sequence, true);
    shown("avg_pool1d", mean1, sequence, true);
    shown("max_pool3d", largest3, volume, true);
    shown("avg_pool3d", mean3, volume, true);
    shown("adaptive_avg_pool", parts1, sequence, true);
    shown("adaptive_avg_pool", parts2, image, true);
    shown("adaptive_max_pool", largest_parts, image, true);
    shown("unfold", columns, image, true);
    shown("unfold", columns_apart, image, true);
    shown("fold", together, begun([4, 16, 12]), true);
    shown("resize", larger, image, true);
    shown("resize", smaller, image, true);
    shown("resize", larger_by_points, image, true);
    shown("resize", longer, sequence, true);
    shown("resize", larger3, volume, true);
    shown("resize", nearest, image, true);
    shown("conv2d", flat, image, false);
    shown("conv3d", flat3, volume, false);
    shown("conv_transpose2d", up_flat, image, false);
    shown("conv_transpose1d", up_flat1, sequence, false);
    shown("conv_transpose3d", up_flat3, volume, false);
    shown("max_pool2d", largest_flat, image, true);
    shown("max_pool2d", largest_apart, image, true);
    shown("max_pool2d", largest_to_the_end, image, true);
    shown("max_pool1d", largest_to_the_end1, sequence, true);
    shown("max_pool3d", largest_to_the_end3, volume, true);
    shown("avg_pool2d", mean_to_the_end, image, true);
    shown("avg_pool2d", mean_there_to_the_end, image, true);
    shown("avg_pool1d", mean_to_the_end1, sequence, true);
    shown("avg_pool3d", mean_to_the_end3, volume, true);
    shown("avg_pool2d", mean_there, image, true);
    shown("avg_pool1d", mean_there1, sequence, true);
    shown("avg_pool3d", mean_there3, volume, true);
    shown("unfold", columns_flat, image, true);
    shown("fold", together_flat, begun([4, 16, 12]), true);
    shown("pad", mirrored, image, true);
    shown("pad", mirrored_whole, sequence, true);
    shown("pad", repeated, sequence, true);
    shown("pad", around, sequence, true);
    shown("pad", filled, sequence, true);
    shown("resize", cubic, image, true);
    shown("resize", cubic_by_points, image, true);
    shown("grid_sample", sampled, image, true);
    shown("grid_sample", sampled_by_points, image, true);
    shown("grid_sample", sampled_nearest, image, true);
    shown("grid_sample", sampled_at, begun([4, 3, 7, 2]) * 1.3, false);
    shown("groupnorm", grouped, volume, false);
    shown("groupnorm", plainly_grouped, sequence, false);
    shown("instancenorm", alone, image, true);
    shown("instancenorm", plainly_alone, sequence, true);
    shown("pixel_shuffle", to_larger, image, false);
    shown("pixel_unshuffle", to_smaller, begun([4, 4, 6, 8]), true);
    shown("prelu", leaky, image, true);
    shown("celu", bent, image, true);
    shown("softsign", signed, image, true);
    shown("soft_shrink", soft, image, true);
    shown("hard_shrink", hard, image, true);
    shown("normalize", unit, image, true);
}
