// What is called at a point: elementwise operators, whose numbers may be left out or named, but no functions of whole tensors.
fn doubled(x) { return 2.0 * x; }
op surplus(a[..]) -> [..] = leaky_relu(a, 0.1, 3.0); //~ PML0203@48
main {
    let x = [-1.0, 2.0] as f32;
    let a[i] = leaky_relu(x[i]) + clamp(x[i], high = 1.0, low = 0.0);
    let b[i] = leaky_relu(x[i], sloop = 0.1);        //~ PML0203
    let c[i] = leaky_relu();                         //~ PML0203
    let d[i] = clamp(x[i], 0.0);                     //~ PML0203
    let f[i] = doubled(x[i] + 1.0);                  //~ PML0603
    let g[i] = softmax(x[i]);                        //~ PML0603
    print(a, b, c, d, f, g, surplus(x));
}
