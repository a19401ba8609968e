// Means, sums and elements of losses, weights of classes and of ones, rows that are left out: values and derivatives, whole and split over rows and
// classes. Values: expected.py (torch).
//% ranks 1 2 (3 4)
import std.loss;
const N : int = 1;
place p = ranks(0..N);

fn waves(shape: shape, step) { return sin(reshape(iota(volume(shape)) as f64, shape) * step + 0.3); }
fn begun() { return 2.0 * waves([6, 5], 0.37) to @p; }
fn labels() { return (iota(6) * 3 % 5) as i32; }
fn weights[t: float](x: t[..]) { return (iota(5) as t) * 0.5 + 0.25; }
fn targets[t: float](x: t[..]) { return sigmoid(waves([6, 5], 0.77)) as t; }
fn signs[t: float](x: t[..]) { return sign(waves([6, 5], 2.77)) as t; }

fn shown(name: string, f, x, classes: bool) {
    let y = finish(f(x));
    let ct = waves(shape(y), 1.7) to @p;
    let (v, d) = vjp(f)(x, ct);
    print(name, v, d);
    var same = max(abs((f(x as f32) as f64) - y)) < 1e-4;
    for other in if classes => [x to S(0), x to S(1)] else [x to S(0)] {
        let (z, e) = vjp(f)(other, ct);
        same = same && max(abs((z to B) - y)) < 1e-12 && max(abs((e to B) - d)) < 1e-12;
    }
    print(same);
}

fn smoothed(x) { return finish(loss.cross_entropy(x, labels(), smoothing = 0.2, weights = weights(x))); }
fn some(x) { return finish(loss.cross_entropy(x, labels(), smoothing = 0.2, weights = weights(x), ignore = 3)); }
fn some_of_all(x) { return finish(loss.cross_entropy(x, labels(), ignore = 3)); }
fn all_rows(x) { return finish(loss.cross_entropy(x, labels(), weights = weights(x), ignore = 3, reduction = "none")); }
fn all_smooth_rows(x) { return finish(loss.cross_entropy(x, labels(), smoothing = 0.2, ignore = 3, reduction = "none")); }
fn row_sum(x) { return finish(loss.cross_entropy(x, labels(), weights = weights(x), reduction = "sum")); }
fn likely(x) { return finish(loss.nll(log_softmax(x), labels(), weights = weights(x), ignore = 0)); }
fn likely_rows(x) { return finish(loss.nll(log_softmax(x), labels(), reduction = "none")); }
fn ones_count(x) { return finish(loss.binary_cross_entropy(x, targets(x), positive = weights(x))); }
fn elements_count(x) { return finish(loss.binary_cross_entropy(x, targets(x), positive = 3.0, weights = weights(x), reduction = "sum")); }
fn each_bit(x) { return loss.binary_cross_entropy(20.0 * x, targets(x), positive = 2.0, reduction = "none"); }
fn squares(x) { return finish(loss.mse(x, targets(x), reduction = "sum")); }
fn each_square(x) { return loss.mse(x, targets(x), reduction = "none"); }
fn sizes(x) { return finish(loss.l1(x, targets(x), reduction = "sum")); }
fn robust(x) { return loss.huber(x, targets(x), delta = 0.7, reduction = "none"); }
fn soft(x) { return finish(loss.soft_cross_entropy(x, softmax(targets(x)), reduction = "sum")); }
fn divergence(x) { return finish(loss.kl_divergence(x, softmax(targets(x)), reduction = "none")); }
fn counts(x) { return finish(loss.poisson_nll(x, targets(x), reduction = "sum")); }
fn hinges(x) { return loss.hinge(x, signs(x), reduction = "none"); }
fn ranked(x) { return finish(loss.margin_ranking(x, targets(x), signs(x), margin = 0.3)); }
fn angles(x) { return finish(loss.cosine(x, targets(x), signs(x)[.., 0], margin = 0.1)); }
fn triples(x) { return loss.triplet(x, targets(x), signs(x), reduction = "none"); }

main {
    let x = begun();
    shown("cross_entropy", smoothed, x, true);
    shown("cross_entropy", some, x, true);
    shown("cross_entropy", some_of_all, x, true);
    shown("cross_entropy", all_rows, x, true);
    shown("cross_entropy", all_smooth_rows, x, true);
    shown("cross_entropy", row_sum, x, true);
    shown("nll", likely, x, true);
    shown("nll", likely_rows, x, true);
    shown("binary_cross_entropy", ones_count, x, true);
    shown("binary_cross_entropy", elements_count, x, true);
    shown("binary_cross_entropy", each_bit, x, true);
    shown("mse", squares, x, true);
    shown("mse", each_square, x, true);
    shown("l1", sizes, x, true);
    shown("huber", robust, x, true);
    shown("soft_cross_entropy", soft, x, true);
    shown("kl_divergence", divergence, x, true);
    shown("poisson_nll", counts, x, true);
    shown("hinge", hinges, x, true);
    shown("margin_ranking", ranked, x, true);
    shown("cosine", angles, x, true);
    shown("triplet", triples, x, true);
}
