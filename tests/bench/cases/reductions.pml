// Reductions over dimensions that are not the last one, step after step: which one is said by -D OP=.
import std.nn;
const N: int = 256;
const OP: int = 0;
const B: int = 32;   /// images of C channels, H x H
const C: int = 64;
const H: int = 28;
config steps: int = 10;
place all = ranks(0..1);

param x: f32[N, N, N] @ all = normal(std = 1.0);
param w: f32[N, N] @ all = normal(std = 1.0);
param image: f32[B, C, H, H] @ all = normal(std = 1.0);
param scale: f32[C] @ all = ones();
param shift: f32[C] @ all = zeros();
state most: f32[N, N] @ all = zeros();
state columns: f32[N] @ all = zeros();
state channels: f32[C] @ all = zeros();
state y: f32[B, C, H, H] @ all = zeros();

fn normed() -> f32 @ all {
    return mean(square(nn.groupnorm(image, scale, shift, groups = 8)));
}
main {
    for i in 0..steps {
        if OP == 0 { most = sum(x, dim = 0); }
        if OP == 1 { most = sum(x, dim = 1); }
        if OP == 2 { columns = sum(x, dim = [0, 1]); }
        if OP == 3 { columns = sum(x, dim = [0, 2]); }
        if OP == 4 { columns = sum(x, dim = [1, 2]); }
        if OP == 5 { most = max(x, dim = 1); }
        if OP == 6 { channels = mean(image, dim = [0, 2, 3]); }
        if OP == 7 { y = nn.groupnorm(image, scale, shift, groups = 8); }
        if OP == 8 { let (l, g) = value_and_grad(normed)(); each (p, d) in g { p -= 0.001 * d; } }
        if OP == 9 { most = mean(square(x), dim = 1); }
    }
}
