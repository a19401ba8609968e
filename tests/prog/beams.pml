//% test 1 2 (3 4)
// The likeliest texts of a small model that looks at two tokens, beside all texts there are, and ends of texts.
import std.nn;
place p = ranks(0..4);
const C : int = 4;
const T : int = 5;
const ALL : int = C * C * C * C;
param table : f32[C, C, C] @ p = normal(std = 2.0);

op after_two(table[a, b, c], i[n, w]: int, j[n, w]: int) -> [n, w, c] = table[i, j, c];
fn next(tokens, at) { return after_two(table, tokens[.., .., max(at - 1, 0)], tokens[.., .., at]); }

// All texts that begin with a token, and their scores.
fn all_texts(first: int) {
    var columns = [full(first, [ALL], dtype = i64)];
    var rest = iota(ALL);
    for t in 1..T {
        columns = columns + [rest % C];
        rest = floor_divide(rest, C);
    }
    let texts = stack(columns) as i32;
    var score = zeros([ALL]) to @p;
    for t in 0..T - 1 {
        let logp = log_softmax(next(unsqueeze(texts, dim = 0), t))[0];
        score = score + pick(logp, texts[.., t + 1]);
    }
    return (texts, score);
}

fn check_text(tokens, scores, k: int, first: int, width: int) {
    let (texts, score) = all_texts(first);
    let (best, at) = top_k(score, width);
    assert_close(scores[k, 0..width], best, rtol = 1e-5);
    for i in 0..width { assert_equal(tokens[k, i], nn.embedding(texts, unsqueeze(at[i], dim = 0))[0]); }
}

test "all texts" {
    let start = [0, 3, 1, 2, 1] as i32;
    let (tokens, scores) = nn.beam_search(next, start to @p : S(0), width = C * C * C, length = T);
    let (whole, values) = (tokens to B, scores to B);
    check_text(whole, values, 0, 0, 8);
    check_text(whole, values, 1, 3, 8);
    check_text(whole, values, 4, 1, 8);
    let (narrow, fewer) = nn.beam_search(next, start to @p : S(0), width = 2, length = T);
    assert(all(fewer <= scores[.., 0..2] + 1e-5) to B);
    let (greedy, one) = nn.beam_search(next, start to @p : S(0), width = 1, length = T);
    for t in 0..T - 1 { assert_equal(greedy[.., 0, t + 1] to B, argmax(next(greedy, t))[.., 0] to B); }
}

test "ends" {
    let (tokens, scores) = nn.beam_search(next, [0, 3] as i32 to @p : S(0), width = 4, length = 8, end = 3);
    let t = tokens to B;
    let none = (scores to B) < -1e29;                       // there is one text that begins with its end
    for k in 1..8 { assert(all(none || t[.., .., k - 1] != 3 || t[.., .., k] == 3)); }
    assert_equal(sum(none), 3);
    assert_close(scores[1, 0] to B, 0.0);
}
