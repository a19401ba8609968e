//% ranks 1 2 (3 4)
//% rtol 2e-3
// Factors of windows are rounded, whether windows are gathered, for pairs, or read where they lie: lines short and long, few channels and many, strides, and
// transposed windows, whose other operand is gathered as well, and enough channels for minimal filtering; forward against rounded operands, gradients near those of f32.
const N : int = 1;
place all = ranks(0..N);

param few  : f32[9, 6, 3, 3]  @ all : B = normal(std = 0.2);
param many : f32[40, 6, 3, 3] @ all : B = normal(std = 0.2);
param back : f32[6, 10, 4, 4] @ all : B = normal(std = 0.2);
param filter : f32[72, 64, 3, 3] @ all : B = normal(std = 0.05);
state wide   : f32[12, 64, 15, 13] @ all : S(0) = zeros();
state short  : f32[12, 6, 7, 7]  @ all : S(0) = zeros();
state middle : f32[12, 6, 14, 14] @ all : S(0) = zeros();
state long   : f32[12, 6, 9, 40] @ all : S(0) = zeros();

fn of_bf16(x) { return x as bf16 as f32; }
fn of_f16(x) { return x as f16 as f32; }
fn near(x, y) { return finish(max(abs(x - y))) < 2e-5; }
fn windows(x, k) {
    return near(mixed bf16 { conv2d(x, k, pad = 1) }, conv2d(of_bf16(x), of_bf16(k), pad = 1))
        && near(mixed f16 { conv2d(x, k, pad = 1) }, conv2d(of_f16(x), of_f16(k), pad = 1))
        && near(mixed bf16 { conv2d(x, k, stride = 2) }, conv2d(of_bf16(x), of_bf16(k), stride = 2))
        && near(mixed f16 { conv2d(x, k, stride = 2) }, conv2d(of_f16(x), of_f16(k), stride = 2));
}
fn transposed(x, k) {
    return near(mixed bf16 { conv_transpose2d(x, k, stride = 2, pad = 1) }, conv_transpose2d(of_bf16(x), of_bf16(k), stride = 2, pad = 1))
        && near(mixed f16 { conv_transpose2d(x, k, stride = 2, pad = 1) }, conv_transpose2d(of_f16(x), of_f16(k), stride = 2, pad = 1))
        && near(mixed f16 { conv_transpose2d(x, k) }, conv_transpose2d(of_f16(x), of_f16(k)));
}
fn trained(x) {
    let y = conv_transpose2d(conv2d(x, many, pad = 1)[.., 0..6, .., ..], back, stride = 2, pad = 1);
    return (mean(square(y)) + mean(square(conv2d(x, few, pad = 1)))) to B;
}
fn close(a, b) { return finish(max(abs(a - b))) < 0.02 * finish(max(abs(b))); }
fn gradients(x) {
    let exact = grad(trained)(x);
    let halves = mixed f16 { grad(trained)(x) };
    let pairs = mixed bf16 { grad(trained)(x) };
    return close(halves.few, exact.few) && close(halves.many, exact.many) && close(halves.back, exact.back)
        && close(pairs.few, exact.few) && close(pairs.many, exact.many) && close(pairs.back, exact.back);
}

fn filtered(x) { return mean(square(conv2d(x, filter, pad = 1))) to B; }
fn filtered_gradients(x) {
    let exact = grad(filtered)(x);
    let halves = mixed f16 { grad(filtered)(x) };
    let pairs = mixed bf16 { grad(filtered)(x) };
    return close(halves.filter, exact.filter) && close(pairs.filter, exact.filter);
}

main {
    wide = normal(rng(4), [12, 64, 15, 13]) to @all : S(0);
    short = normal(rng(1), [12, 6, 7, 7]) to @all : S(0);
    middle = normal(rng(2), [12, 6, 14, 14]) to @all : S(0);
    long = normal(rng(3), [12, 6, 9, 40]) to @all : S(0);
    print("few", windows(short, few), windows(middle, few), windows(long, few));
    print("many", windows(short, many), windows(middle, many), windows(long, many));
    print("transposed", transposed(short, back), transposed(middle, back), transposed(long, back));
    print("filtered", windows(wide, filter), filtered_gradients(wide));
    print("gradients", gradients(short), gradients(middle), gradients(long));
}
