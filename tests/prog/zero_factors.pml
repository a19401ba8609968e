// Zeros that the program writes follow IEEE 754, whoever folds them: in operators, in fills, of the host, in 16 bits. In derivatives
// what does not depend on an operand has no part, infinite or not; steps on tables are made at the rows that a batch names.
//% ranks 1 2
//% also --loops=unrolled
//% bits zero_factors
import std.optim;
const N : int = 1;
place p = ranks(0..N);
config z : f32 = 0.0;
config rate : f32 = 0.5;
state x : f32[7] @ p : S(0) = [0.0, -0.0, 1.0, -1.0, inf, -inf, nan];
param table : f32[40, 2] @ p = ones();
op zero_over(a[..]) -> [..] = 0 / a;
op zero_times(a[..]) -> [..] = 0 * a;
op masked(a[..]) -> [..] = a * where(a > 1, 1, 0);
op masked_up_to(a[j]) -> [n < 7] = sum[j] a * where(j <= n, 1, 0);
op up_to(a[j]) -> [n < 7] = sum[j] where(j <= n, a, 0);

fn chosen(x) { return finish(sum(where(x > 0.0, 1.0, 0.0) * x)); }
fn power(x) { return finish(sum(x ** 0.0)); }
fn nothing(x) { return finish(sum(0.0 * x)); }
fn looked_up(i) { return finish(sum(embed(table, i))); }

main {
    print(0.0 * x to B, x * 0.0 to B, zeros([7]) * x to B, zero_times(x) to B);
    print(0.0 / x to B, zeros([7]) / x to B, zero_over(x) to B, masked(x) to B);
    print(masked_up_to(x to B), up_to(x to B), masked_up_to(iota(7) - 3), up_to(iota(7) - 3));
    print(grad(chosen)(x) to B, grad(power)(x) to B, grad(nothing)(x) to B);
    print(jvp(nothing)(x, ones([7]))[1]);
    print(0.0 * (1.0 / z), 0.0 / z, 0.0 * inf);
    assert_equal(median([[1.0, 5.0, 2.0], [inf, nan, 0.0]] as f32 to @p : S(0)) to B, [2.0, inf]);    // nothing is added up
    print((0.0 * (x as bf16)) to B, (0.0 / (x as f16)) to B, 0 * (iota(3) - 1));
    for i in 0..2 { table -= rate * grad(looked_up)([3, 3, 7] as i32 to @p).table; }
    print(table[2], table[3], table[7]);
    optim.adamw(grad(looked_up)([3, 3, 7] as i32 to @p), lr = 0.5, weight_decay = 0.0);
    print(table[2], table[3], table[7]);
}
