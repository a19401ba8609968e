place all = ranks(0..1);
param w : f32[16, 16] @ all = zeros();
const WIDTH : int = 16;

fn f(x: f32[16, 16] @ all) { return mixed i32 { x @ w }; }                                       //~ PML0209
fn g(x: f32[16, 16] @ all) { return mixed WIDTH { x @ w }; }                                     //~ PML0209

main {
    let x = ones([16, 16]) to @all;
    print(f(x), g(x), mixed bf16 { x @ w });
}
