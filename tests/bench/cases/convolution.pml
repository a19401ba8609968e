// One convolution forward, or with the gradients and the update of both of its operands; or transposed with stride 2 and 4 x 4. 32 channels
// to 32, windows of 3 x 3, 16 images of 32 x 32 where nothing else is said.
const TRANSPOSED : bool = false;
const TRAINED : bool = false;
const N : int = 16;
const C : int = 32;   /// channels,
const O : int = 32;   /// of the result,
const G : int = 1;    /// and groups of them
const H : int = 32;   /// height and width
const P : int = 3;    /// of the window
const S : int = 1;    /// stride
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 20;
place all = ranks(0..1);
const HS : int = floor_div(H + floor_div(P, 2) * 2 - P, S) + 1;
param k : f32[O, C / G, P, P] @ all = normal(std = 0.05);
param up : f32[32, 32, 4, 4] @ all = normal(std = 0.05);
param x : f32[N, C, H, H] @ all = normal(std = 1.0);
state y : f32[N, O, HS, HS] @ all = zeros();
state z : f32[N, C, 2 * H, 2 * H] @ all = zeros();
fn objective() -> f32 @ all {
    return mean(square(mixed FACTORS { conv2d(x, k, stride = S, pad = floor_div(P, 2), groups = G) }));
}
main {
    for i in 0..steps {
        if TRANSPOSED { z = mixed FACTORS { conv_transpose2d(x, up, stride = 2, pad = 1) }; }
        if TRAINED {
            let (l, g) = value_and_grad(objective)();
            k -= 0.001 * g.k;
            x -= 0.001 * g.x;
        }
        if !TRANSPOSED && !TRAINED { y = mixed FACTORS { conv2d(x, k, stride = S, pad = floor_div(P, 2), groups = G) }; }
    }
}
