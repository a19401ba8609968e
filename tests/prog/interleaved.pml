// Results that are made in parts whose elements take turns in memory: transposed convolutions and gradients of convolutions with strides of 2 to 5, lines
// that fill vectors and lines that do not, all widths of elements; split over images too.
//% ranks 1 2
import std.windows;
const N : int = 1;
place p = ranks(0..N);

fn waves(shape: shape, step) { return sin(reshape(iota(volume(shape)) as f64, shape) * step + 0.3); }

// As sums with another wave.
fn shown(name: string, y) {
    let z = (y as f64) to B;
    print(name, shape(y), sum(z * waves(shape(z), 0.9)), sum(z * z));
}

fn lines[t: float](zero: t[], length: int, stride: int, taps: int) {
    let x = waves([2, 3, length], 0.37) as t to @p : S(0);
    let w = waves([3, 2, taps], 0.11) as t to @p;
    shown("line", windows.conv_transpose1d(x, w, stride = stride));
}

fn filters(taps: int) { return waves([2, 3, taps, taps], 0.13) as f32 to @p; }
fn by_two(x) { return conv2d(x, filters(4), stride = 2, pad = 1); }
fn by_three(x) { return conv2d(x, filters(3), stride = 3, pad = 1); }
fn by_four(x) { return conv2d(x, filters(5), stride = 4, pad = 1); }

fn squares(height: int, width: int, f, stride: int, taps: int) {
    let x = waves([2, 3, height, width], 0.37) as f32 to @p : S(0);
    shown("square", conv_transpose2d(x, waves([3, 2, taps, taps], 0.11) as f32 to @p, stride = stride, pad = 1));
    let (y, d) = vjp(f)(x, waves(shape(f(x)), 1.7) as f32 to @p : S(0));
    shown("gradient", d);
}

main {
    for stride in [2, 3, 4, 5] {
        for length in [15, 16, 33, 70] {
            lines(0.0 as f32, length, stride, stride);
            lines(0.0 as f64, length, stride, stride + 1);
        }
    }
    squares(9, 20, by_two, 2, 4);
    squares(7, 37, by_three, 3, 3);
    squares(5, 64, by_four, 4, 5);
    squares(64, 64, by_two, 2, 3);
}
