// Anchors matched with boxes, what is to be learned of them, focal and Huber losses with gradients, boxes that overlap with better ones left out.
// Values: expected.py (torch).
//% ranks 1 (2) 3 (4)
//% rtol 1e-4
import std.boxes;
import std.loss;
const N : int = 1;
const A : int = 48;
place p = ranks(0..N);

fn numbers(sizes: shape, a: int) { return reshape((iota(volume(ones(sizes))) * a % 1009) as f32 / 504.0 - 1.0, sizes); }
param w : f32[8, 7] @ p = numbers([8, 7], 37);
state f : f32[6, A, 8] @ p : S(0) = numbers([6, A, 8], 101);
state truth : f32[6, 2, 4] @ p : S(0) = concat([16.0 + 12.0 * numbers([6, 2, 2], 331), 10.0 + 4.0 * numbers([6, 2, 2], 97)]);
state label : i32[6, 2] @ p : S(0) = reshape(iota(12) % 3, [6, 2]) as i32;

fn anchors() {
    let line = (iota(4) as f32 + 0.5) * 8.0;
    let (y, x) = meshgrid([line, line]);
    let at = reshape(stack([x, y], dim = 2), [16, 1, 2]);
    let size = reshape([8.0, 8.0, 12.0, 6.0, 6.0, 12.0] as f32, [1, 3, 2]);
    return reshape(concat([at + 0.0 * size, size + 0.0 * at], dim = 2), [A, 4]);
}
fn matched(truth, label, a) {
    let common = boxes.iou(boxes.corners(a), boxes.corners(truth));
    let (best, most) = (argmax(common), max(common, dim = 1));
    let b = truth[best];
    let t = concat([(b[.., 0..2] - a[.., 0..2]) / a[.., 2..4], ln(b[.., 2..4] / a[.., 2..4])]) / [0.1, 0.1, 0.2, 0.2];
    return (t, where(most >= 0.5, label[best], where(most < 0.4, -1, -2)));
}
fn objective(f, t, c) {
    let y = f @ w;
    let kind = sum(loss.focal(y[.., .., 4..], one_hot(c?, 3), alpha = 0.25, reduction = "none"), dim = 2);
    let box = sum(loss.huber(y[.., .., 0..4], t, reduction = "none"), dim = 2);
    let count = maximum(sum((c >= 0) as f32, dim = 1), 1.0);
    return mean((sum(where(c == -2, 0.0, kind), dim = 1) + sum(where(c >= 0, box, 0.0), dim = 1)) / count) to B;
}
fn kept(f, a) {
    let y = f @ w;
    let b = concat([a[.., 0..2] + 0.1 * y[.., 0..2] * a[.., 2..4], a[.., 2..4] * exp(0.2 * y[.., 2..4])]);
    return boxes.suppress(boxes.corners(b), max(y[.., 4..], dim = 1), overlap = 0.3);
}

main {
    let a = anchors() to @p;
    let (t, c) = vmap(matched, over = ("truth", "label"))(truth, label, a);
    print(sum(t, dim = 1) to B, c to B);
    let (l, g) = value_and_grad(objective)(f, t, c);
    print(l, g.w);
    print(vmap(kept, over = "f")(f, a) to B);
    print(max(abs(boxes.corners(boxes.centres(a)) - a)) < 1.0e-5, boxes.area(boxes.corners(a))[0..3]);
}
