// Convolutions in groups, and dilated, which are reshaped in front of their windows and behind: they fetch halos as others do, whether
// windows reach beyond the image or not, with their gradients.
//% layouts 0:1 4:4 (1:2 2 3)
//% also --halos=parts
//% rtol 1e-4
const LAYOUT : int = 0;
const X : int = [1, 2, 1, 3, 2][LAYOUT];
const Y : int = [1, 1, 3, 1, 2][LAYOUT];
place grid = ranks(0..X * Y) as (x = X, y = Y);

param k : f32[6, 2, 3, 2] @ grid : B = reshape((iota(72) * 5 % 7) as f32 * 0.1 - 0.3, [6, 2, 3, 2]);
param one : f32[4, 4, 3, 3] @ grid : B = reshape((iota(144) * 5 % 11) as f32 * 0.1 - 0.5, [4, 4, 3, 3]);

fn squares(y) { return sum(y * y) to B; }
fn grouped(x) { return squares(relu(conv2d(x, k, pad = 1, stride = 2, groups = 2)) to (x=S(2), y=S(3))); }
fn within(x) { return squares(conv2d(x, k, groups = 2) to (x=S(2), y=S(3))); }
fn dilated(x) { return squares(conv2d(x, one, pad = 2, dilation = 2) to (x=S(2), y=S(3))); }
fn dilated_within(x) { return squares(conv2d(x, one, dilation = 2) to (x=S(2), y=S(3))); }

main {
    let x = reshape((iota(2 * 4 * 11 * 9) * 11 % 17) as f32 * 0.1 - 0.7, [2, 4, 11, 9]) to @grid : (x=S(2), y=S(3));
    for f in [grouped, within, dilated, dilated_within] {
        let (l, dx) = value_and_grad(f, wrt = [0])(x);
        print(l, dx to B);
    }
    print(grad(grouped, wrt = [k])(x).k, grad(dilated_within, wrt = [one])(x).one);
}
