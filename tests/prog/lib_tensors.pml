// Copies, grids, distances, statistics, counts, running sums of exponentials: values and derivatives, each in several layouts. Values: expected.py
// (torch).
//% ranks 1 2 (3 4)
const N : int = 1;
place p = ranks(0..N);

fn waves(shape: shape, step) { return sin(reshape(iota(volume(shape)) as f64, shape) * step + 0.3); }
fn begun() { return waves([4, 6], 0.37) to @p; }
fn threes() { return waves([4, 3], 0.37) to @p; }

// The value and the derivative along waves; that both are the same in the layouts given, and the value in f32.
fn shown(name: string, f, x, others: list) {
    let ct = waves(shape(f(x)), 1.7) to @p;
    let (y, d) = vjp(f)(x, ct);
    print(name, y, d);
    var same = max(abs(f(x as f32) as f64 - y)) < 1e-4;
    for other in others {
        let (z, e) = vjp(f)(other, ct);
        same = same && max(abs((z to B) - y)) < 1e-12 && max(abs((e to B) - d)) < 1e-12;
    }
    print(same);
}

fn sampled(x) { return variance(x, correction = 1); }
fn deviation(x) { return std(x, dim = 0, correction = 1); }
fn related(x) { return finish(correlation(x)); }
fn varied(x) { return finish(covariance(x)); }
fn known(x) { return where(x < 0.9, x, nan); }
fn nan_sums(x) { return finish(nan_sum(known(x), dim = 0)); }
fn nan_means(x) { return nan_mean(known(x), dim = 1); }
fn nan_mean_of_all(x) { return nan_mean(known(x)); }
fn beside(x) { return kron(x, cos(x[0..2, 0..3] to B)); }
fn crossed(x) { return cross(x, cos(x)); }
fn crossed_columns(x) { return cross(transpose(x), transpose(cos(x)), dim = 0); }
fn apart(x) { return distances(x, (cos(x) + 5.0) to B); }
fn exactly_apart(x) { return distances(x, (cos(x) + 5.0) to B, exact = true); }
fn from_itself(x) { return distances(x, x to B, exact = true); }
fn rows_repeated(x) { return repeat(x, 3, dim = 0); }
fn repeated(x) { return repeat(x, 2); }
fn tiled(x) { return tile(x, [2, 3]); }
fn first_line(x) { return meshgrid([x[0] to B, x[.., 1] to B])[0]; }
fn second_line(x) { return meshgrid([x[0] to B, x[.., 1] to B])[1]; }
fn running(x) { return logcumsumexp(x * 3.0); }
fn running_down(x) { return logcumsumexp(x * 300.0, dim = 0); }
fn smallest(x) { return top_k(x, 3, smallest = true)[0]; }

main {
    let x = begun();
    let (rows, columns) = (x to S(0), x to S(1));
    let even = if N < 3 => [rows, columns] else [];          // what is put together from uneven shares wants a `to`
    shown("variance", sampled, x, [rows]);
    shown("std", deviation, x, [columns]);
    shown("covariance", varied, x, [columns]);
    shown("correlation", related, x, [columns]);
    shown("nan_sum", nan_sums, x, [rows, columns]);
    shown("nan_mean", nan_means, x, [rows, columns]);
    shown("nan_mean", nan_mean_of_all, x, [rows, columns]);
    shown("kron", beside, x, even);
    shown("cross", crossed, threes(), [threes() to S(0)]);
    shown("cross", crossed_columns, threes(), [threes() to S(0)]);
    shown("distances", apart, x, [rows]);
    shown("distances", exactly_apart, x, [rows]);
    shown("distances", from_itself, x, [rows]);
    shown("repeat", rows_repeated, x, even);
    shown("repeat", repeated, x, even);
    shown("tile", tiled, x, []);
    shown("meshgrid", first_line, x, [rows, columns]);
    shown("meshgrid", second_line, x, [rows, columns]);
    shown("logcumsumexp", running, x, [rows]);
    shown("logcumsumexp", running_down, x, [columns]);
    shown("top_k", smallest, x, [rows]);

    let i = (iota(40) * 7 % 12) as i32 to @p : S(0);
    print(top_k(i to B, 5, smallest = true), is_in(i, [3, 7, 20] as i32 to @p) to B, is_in((x * 10.0) as i32 to S(1), [3, 7, 9] as i32 to @p) to B);
    print(repeat((i < 4) to B, 2), tile((i < 4) to B, [2]));
    let y = waves([200], 0.71) * 4.0 to @p : S(0);
    print(histogram(y, 10, -4.0, 4.0) to B, histogram(floor(y), 6, -3.0, 3.0) to B, histogram(y as f32, 7, -2.0, 1.0) to B);
    let z = sort(y to B);
    print(searchsorted(z, y) to B, searchsorted(floor(z) as i32, floor(y) as i32, right = true) to B, searchsorted(floor(z), floor(x) to S(1)) to B);
}
