// Windows that read beyond the image, in loops: what lies outside is left out whatever it would be multiplied by, and leaves the bits of a sum
// as they are. Rows of less than a vector, of some, and of many, next to each other and apart.
//% ranks 1
const N : int = 1;
place all = ranks(0..N);

fn image(rows: int, columns: int) { return reshape((iota(3 * rows * columns) * 37 % 101) as f32 * 0.013 - 0.6, [1, 3, rows, columns]); }
fn taps(k: int) { return reshape((iota(3 * k * k) * 29 % 53) as f32 * 0.017 - 0.4, [3, 1, k, k]); }

// The same sums over an image with zeros around it.
fn agrees(x, w, stride: int, dilation: int) {
    let around = floor_div((shape(w)[-1] - 1) * dilation, 2);
    let zeros_around = pad(pad(x, before = around, after = around, dim = 2), before = around, after = around, dim = 3);
    let y = conv2d(x, w, pad = around, stride = stride, dilation = dilation, groups = 3);
    return all(y == conv2d(zeros_around, w, stride = stride, dilation = dilation, groups = 3));
}

// A tap that is no number meets the zeros that pad lays around, and nothing where windows end at the image.
fn finite_corner(rows: int, columns: int) {
    let first = reshape(iota(27) % 9 == 0, [3, 1, 3, 3]);
    let y = conv2d(image(rows, columns), where(first, nan, taps(3)), pad = 1, groups = 3);
    return all(is_finite(y[0, .., 0, ..])) && all(is_finite(y[0, .., .., 0])) && !any(is_finite(y[0, .., 1..rows, 1..columns]));
}

main {
    for columns in [5, 14, 16, 28, 56, 60, 112, 131] {
        let x = image(9, columns);
        print(columns, agrees(x, taps(3), 1, 1), agrees(x, taps(5), 1, 1), agrees(x, taps(7), 1, 1), agrees(x, taps(3), 2, 1), agrees(x, taps(5), 2, 1),
              agrees(x, taps(3), 1, 2), finite_corner(4, columns));
    }
}
