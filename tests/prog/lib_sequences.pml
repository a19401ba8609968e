//% test 2 (1 3 4)
// Sequences against all that they can be: CTC against each line of classes that spells the labels, chains of labels against each chain; numbers
// of another program (PyTorch); derivatives. Batches are split over ranks.
import std.crf;
import std.loss;
place p = ranks(0..4);
const C : int = 3;
const T : int = 4;
const ALL : int = C * C * C * C;

fn logits() {
    let (b, i, j) = (iota(3) as f64, iota(7) as f64, iota(5) as f64);
    let x[n, t, c] = 2.0 * sin(1.0 + 3.0 * i[t] + 7.0 * j[c] + 2.0 * b[n] + i[t] * j[c]);
    return x to @p : S(0);
}

// Line i of all: the digits of i.
fn lines() {
    var digits = [];
    var rest = iota(ALL);
    for t in 0..T {
        digits = digits + [rest % C];
        rest = floor_divide(rest, C);
    }
    return stack(digits) as i32;
}

// How likely the labels are, of log probabilities of one sample: all lines that spell them.
fn spelled(logp, labels: list, blank: int) {
    let all = lines();
    let before = concat([full(-1, [ALL, 1], dtype = i32), all[.., 0..T - 1]]);
    let said = all != blank && all != before;
    let number = cumsum(said as i32);
    var right = number[.., T - 1] == length(labels);
    for k in 0..length(labels) { right = right && all_along(!said || number != k + 1 || all == labels[k]); }
    return sum(where(right, exp(scores_of(logp, all)), 0.0));
}
fn scores_of(x, all) {
    let s[a] = sum[t] x[t, all[a, t]];
    return s;
}

fn by_ctc(x) { return loss.ctc(x, [[1, 2, 2], [3, 1, 4], [4, 4, 0]] as i32, times = [7, 6, 4] as i32, lengths = [3, 2, 2] as i32) to B; }
fn late(x) { return loss.ctc(x, [[1, 2, 3], [3, 1, 4], [0, 0, 1]] as i32, times = [7, 6, 4] as i32, lengths = [3, 2, 0] as i32, blank = 4) to B; }
fn impossible(x) { return loss.ctc(x, [[1, 1, 1, 1], [1, 2, 1, 2], [2, 2, 3, 1]] as i32) to B; }
fn second(x) { return grad(by_ctc)(x); }
fn without_times(x) { return loss.ctc(x, [[1, 2, 2], [3, 1, 4], [4, 4, 0]] as i32, times = [7, 0, 0] as i32, lengths = [3, 0, 2] as i32) to B; }
fn some_without(x) { return loss.ctc(x, [[1, 2, 2], [3, 1, 4], [4, 4, 0]] as i32, times = [7, 0, 1] as i32, lengths = [3, 0, 1] as i32) to B; }

fn check_spelling(y, labels: list) {
    for b in 0..3 {
        assert_close(loss.ctc(unsqueeze(y[b], dim = 0), [labels] as i32), -ln(spelled(y[b], labels, 0)), rtol = 1e-12);
    }
}

test "ctc" {
    let x = logits();
    assert_close(by_ctc(x), 7.675252788077549, rtol = 1e-13);
    assert_close(late(x), 5.979606794736225, rtol = 1e-13);
    assert_close(grad(late)(x)[1, 2] to B, [0.0510, -0.0085, 0.1515, -0.0040, -0.1900] as f64, rtol = 1e-2, atol = 1e-4);
    check_gradient(by_ctc, x);
    check_gradient(late, x);
    check_gradient(second, x, directions = 1);
    assert(impossible(x[.., 0..4, ..]) > 1e300);
    assert_equal(max(abs(grad(impossible)(x[.., 0..4, ..])[0])) to B, 0.0);
    assert(without_times(x) > 1e300);
    let first = log_softmax(x[2, 0] to B);
    let all = loss.ctc(x[0..1] to B, [[1, 2, 2]] as i32, times = [7] as i32) - first[4];
    assert_close(some_without(x), all / 3.0, rtol = 1e-13);
    check_gradient(some_without, x);
    assert_equal(loss.ctc(zeros([2, 0, 3]), zeros([2, 0], dtype = i32)), 0.0);
    let y = log_softmax(x[.., 0..T, 0..C]) to B;
    for labels in [[1], [2], [1, 2], [1, 1], [2, 1, 2], [1, 2, 2], [1, 2, 1, 2]] { check_spelling(y, labels); }
}

fn scores() { return logits()[.., 0..T, 0..C]; }
fn moves() { return logits()[0, 2..5, 0..3] to B; }
fn first() { return logits()[1, 0, 0..3] to B; }
fn last() { return logits()[2, 5, 0..3] to B; }

// Of one sample of k places: what each chain is worth.
fn chains(x, k: int) {
    let all = lines();
    var s = take(first(), all[.., 0]) + take(last(), all[.., k - 1]) + take(x[0], all[.., 0]);
    for t in 1..k { s = s + take(x[t], all[.., t]) + crf.move_of(moves(), all[.., t - 1], all[.., t]); }
    return s;
}

fn labels() { return [[0, 2, 1, 1], [2, 2, 0, 1], [1, 0, 0, 2]] as i32 to @p : S(0); }
fn lengths() { return [4, 3, 1] as i32; }
fn likely(x) { return crf.nll(x, moves(), labels(), lengths = lengths(), first = first(), last = last()) to B; }
fn likely_whole(x) { return crf.nll(x, moves(), labels()) to B; }
fn of_moves(m) { return crf.nll(scores(), m, labels(), lengths = lengths()) to B; }

fn check_chains(x, whole, parts, path, best) {
    let ends = [4, 3, 1];
    for b in 0..3 {
        let y = x[b] to B;
        assert_close(whole[b], logsumexp(chains(y, T)), rtol = 1e-13);
        // Chains of k places are counted once for each end that they could have.
        let s = chains(y, ends[b]);
        assert_close(parts[b], logsumexp(s) - (T - ends[b]) * ln(1.0 * C), rtol = 1e-13);
        assert_close((best to B)[b], max(s), rtol = 1e-13);
        let way = path[b] to B;
        let chain = take(transpose(lines()), unsqueeze(argmax(s), dim = 0));
        for t in 0..T { assert(way[t] == (if t < ends[b] => chain[t, 0] else -1)); }
    }
}

test "chains" {
    let x = scores();
    let whole = crf.log_partition(x, moves(), first = first(), last = last()) to B;
    let parts = crf.log_partition(x, moves(), lengths = lengths(), first = first(), last = last()) to B;
    let (path, best) = crf.decode(x, moves(), lengths = lengths(), first = first(), last = last());
    let worth = crf.score(x, moves(), max(path, 0 as i32), lengths = lengths(), first = first(), last = last());
    assert_close(worth to B, best to B, rtol = 1e-13);
    check_chains(x, whole, parts, path, best);
    check_gradient(likely, x);
    check_gradient(likely_whole, x);
    check_gradient(of_moves, moves());
    assert(likely(x) > 0.0 && likely_whole(x) > 0.0);
}

fn likely_some(x) { return crf.nll(x, moves(), labels(), lengths = [2, 0, 4] as i32 to @p : S(0), first = first(), last = last()) to B; }

test "a chain of no place" {
    let x = scores();
    let n = [2, 0, 4] as i32 to @p : S(0);
    let none = crf.log_partition(x, moves(), lengths = n, first = first(), last = last()) to B;
    let fits = crf.score(x, moves(), labels(), lengths = n, first = first(), last = last()) to B;
    let (path, best) = crf.decode(x, moves(), lengths = n, first = first(), last = last());
    assert(none[1] == 0.0 && fits[1] == 0.0 && (best to B)[1] == 0.0 && all((path to B)[1] == -1));
    let d = grad(likely_some)(x) to B;
    assert(all(d[1] == 0.0) && any(d[0] != 0.0) && any(d[2, 3] != 0.0));
    check_gradient(likely_some, x);
}
