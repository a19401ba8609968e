// One 3 x 3 convolution forward, or transposed with stride 2 and 4 x 4: 32 channels to 32, 16 images of 32 x 32.
const TRANSPOSED : bool = false;
const N : int = 16;
const C : int = 32;
const FACTORS : dtype = f32;   /// what products round their factors to
config steps : int = 20;
place all = ranks(0..1);
param k : f32[C, C, 3, 3] @ all = normal(std = 0.05);
param up : f32[C, C, 4, 4] @ all = normal(std = 0.05);
param x : f32[N, C, 32, 32] @ all = normal(std = 1.0);
state y : f32[N, C, 32, 32] @ all = zeros();
state z : f32[N, C, 64, 64] @ all = zeros();
main {
    for i in 0..steps {
        if TRANSPOSED { z = mixed FACTORS { conv_transpose2d(x, up, stride = 2, pad = 1) }; } else { y = mixed FACTORS { conv2d(x, k, pad = 1) }; }
    }
}
