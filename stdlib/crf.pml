// crf.pml — chains of labels (Lafferty et al., 2001): how good a label is at each place, and one behind another.
//
// scores[.., t, c] say how well class c fits place t, moves[c, c] how well class j (column) follows class i (line). first[c] and last[c], if
// given, are for the classes a chain begins and ends with; lengths[..], if given, for chains shorter than t. A chain of no place, as rows have that
// fill up a batch, has the score 0 and the probability 1. A split over the batch moves nothing.
//
// The examples stand in `main` of a program that begins with
//
//     import std.crf;

op followed(a[.., i], moves[i, j]) -> [.., j, i] = a + moves;
op move_of(moves[i, j], a[..]: int, b[..]: int) -> [..] = moves[a, b];
op inside(a[.., k], length[..]: int, from: int) -> [.., k] = if k + from < length => a else 0;
op there(a[..], length[..]: int) -> [..] = if length > 0 => a else 0;
op no_class(a[..]) -> [..] = (if a == a => 0 else 0) as i32;

fn begun(scores, first) {
    let c = shape(scores)[-1];
    assert(shape(scores)[-2] > 0, message = "a chain of labels has at least one place");
    return if first == none => scores[.., 0, 0..c] else scores[.., 0, 0..c] + first;
}

fn goes_on(new, old, lengths, t) {
    if lengths == none { return new; }
    return choose_lines(new, old, lengths, t);
}
op choose_lines(a[.., k], b[.., k], length[..]: int, t[]: int) -> [.., k] = if t < length => a else b;
op choose_numbers(a[..], b[..], length[..]: int, t[]: int) -> [..] = if t < length => a else b;

/// The logarithm of the sum, over all chains of labels, of exp of their scores: scores[.., t, c], moves[c, c] -> [..].
///     print(crf.log_partition(zeros([1, 3, 2]), zeros([2, 2])));    // [2.07944]
fn log_partition[t, c, d: float](scores: d[.., t, c], moves: d[c, c], lengths = none, first = none, last = none) {
    var a = begun(scores, first);
    for i in 1..t {
        a = goes_on(logsumexp(followed(a, moves)) + scores[.., i, 0..c], a, lengths, i);
    }
    let all = logsumexp(if last == none => a else a + last);
    return if lengths == none => all else there(all, lengths);
}

/// The score of the chains labels[.., t], below c: scores[.., t, c], moves[c, c] -> [..]. What stands behind a chain's end may be any class.
///     print(crf.score([[[1.0, 0.0], [0.0, 2.0]]] as f32, [[0.0, 10.0], [0.0, 0.0]] as f32, [[0, 1]] as i32));    // [13]
fn score[t, c, d: float, k: int](scores: d[.., t, c], moves: d[c, c], labels: k[.., t], lengths = none, first = none, last = none) {
    let fits = pick(scores, labels);
    var total = sum_along(if lengths == none => fits else inside(fits, lengths, from = 0));
    if t > 1 {
        let follows = move_of(moves, labels[.., 0..t - 1], labels[.., 1..t]);
        total = total + sum_along(if lengths == none => follows else inside(follows, lengths, from = 1));
    }
    if first != none { total = total + first[labels[.., 0]]; }
    if last != none { total = total + last[if lengths == none => labels[.., t - 1] else pick(labels, maximum(lengths - 1, 0))]; }
    return if lengths == none => total else there(total, lengths);
}

/// -log of the probability of the chains labels[.., t] among all: the mean over the batch.
///     print(crf.nll(zeros([1, 3, 2]), zeros([2, 2]), [[0, 1, 1]] as i32));    // 2.07944
fn nll(scores, moves, labels, lengths = none, first = none, last = none) {
    return mean(log_partition(scores, moves, lengths, first, last) - score(scores, moves, labels, lengths, first, last));
}

/// The best chains and their scores (Viterbi, 1967): scores[.., t, c], moves[c, c] -> (i32[.., t], [..]); -1 behind a chain's end. Of equal
/// ones that with the first class.
///     let (labels, best) = crf.decode([[[1.0, 0.0], [0.0, 2.0]]] as f32, [[0.0, -9.0], [0.0, 0.0]] as f32);
///     print(labels, best);    // [[1, 1]] [2]
fn decode[t, c, d: float](scores: d[.., t, c], moves: d[c, c], lengths = none, first = none, last = none) {
    var a = begun(scores, first);
    var from = no_class(scores);        // the class before, of each class at each place
    for i in 1..t {
        let ways = followed(a, moves);
        from[.., i, 0..c] = argmax(ways);
        a = goes_on(max_along(ways) + scores[.., i, 0..c], a, lengths, i);
    }
    let ends = if last == none => a else a + last;
    var label = argmax(ends);
    var labels = from[.., 0..t, 0];
    for k in 0..t {
        let i = t - 1 - k;
        let before = pick(from[.., i, 0..c], label);
        labels[.., i] = if lengths == none => label else choose_numbers(label, -1 as i32, lengths, i);
        label = if lengths == none => before else choose_numbers(before, label, lengths, i);
    }
    let best = max_along(ends);
    return (labels, if lengths == none => best else there(best, lengths));
}
