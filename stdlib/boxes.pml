// boxes.pml — boxes in images: corners (left, top, right, bottom), or centre, width and height. Of a batch of images by `vmap`.
//
// The examples stand in `main` of a program that begins with
//
//     import std.boxes;

op shared_area(a[n, p], b[m, q]) -> [n, m]
    = max(min(a[n, 2], b[m, 2]) - max(a[n, 0], b[m, 0]), 0) * max(min(a[n, 3], b[m, 3]) - max(a[n, 1], b[m, 1]), 0);

/// Corners of boxes [.., 4] that are given by centre, width and height.
///     print(boxes.corners([[5.0, 5.0, 4.0, 2.0]] as f32));    // [[3, 4, 7, 6]]
fn corners(b) {
    let (at, half) = (b[.., 0..2], 0.5 * b[.., 2..4]);
    return concat([at - half, at + half]);
}

/// Centre, width and height of boxes [.., 4] that are given by corners.
///     print(boxes.centres([[3.0, 4.0, 7.0, 6.0]] as f32));    // [[5, 5, 4, 2]]
fn centres(b) {
    let (first, last) = (b[.., 0..2], b[.., 2..4]);
    return concat([0.5 * (first + last), last - first]);
}

/// Areas of boxes [.., 4] that are given by corners.
///     print(boxes.area([[3.0, 4.0, 7.0, 6.0]] as f32));    // [8]
fn area(b) {
    return (b[.., 2] - b[.., 0]) * (b[.., 3] - b[.., 1]);
}

/// What boxes have in common, by the area of both together: corners a[n, 4], b[m, 4] -> [n, m] from 0 to 1; 0 where neither has an area.
///     print(boxes.iou([[0.0, 0.0, 2.0, 2.0]] as f32, [[1.0, 0.0, 3.0, 2.0], [5.0, 5.0, 6.0, 6.0]] as f32));    // [[0.333333, 0]]
fn iou(a, b) {
    let common = shared_area(a, b);
    let all = unsqueeze(area(a), dim = 1) + area(b) - common;
    return common / where(all > 0.0, all, 1.0);
}

/// Which boxes stay (bools [n]) where none may have more than `overlap` in common with one of a higher score that stays: corners b[n, 4], scores[n]. Of
/// equal scores the first is the higher one. Boxes of other classes do not meet if `b + 1e4 * unsqueeze(classes as f32, dim = 1)` keeps them apart.
///     let b = [[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 2.1], [5.0, 5.0, 6.0, 6.0]] as f32;
///     print(boxes.suppress(b, [0.5, 0.9, 0.1] as f32));    // [false, true, true]
fn suppress(b, scores, overlap = 0.5) {
    let n = shape(scores)[0];
    let order = argsort(scores, descending = true);
    let best = b[order];
    let over = iou(best, best) > overlap;
    var stays = iota(n) >= 0;
    for i in 0..n { stays = stays && !(over[i] && stays[i] && iota(n) > i); }
    return take(stays, ranking(scores, descending = true));
}
