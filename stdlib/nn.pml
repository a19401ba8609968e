// nn.pml — layers and initial values.
//
// An initialiser is called without key, shape and dtype: `param w : f32[784, 256] = nn.he();`. These come from the param; its
// qualified name makes the key, so adding a param changes the values of no other.
//
// The examples stand in `main` of a program that begins with
//
//     import std.nn;
//
//     place one = ranks(0..1);
//     struct Past { k : f32[1, 1, 8, 2], v : f32[1, 1, 8, 2] }
//     cache past : Past;
//     state seen : nn.Seen[1, one];
//     param layer : nn.Mamba[4, 8, 3, 2, 4, one];
//     fn follows(tokens, at) { return one_hot((tokens[.., .., at] + 1) % 3, 3) * 9.0; }

/// x[.., in] @ w[in, out] + b[out].
///     print(nn.linear([[1.0, 2.0]] as f32, eye(2), [10.0, 20.0]));    // [[11, 22]]
fn linear(x, w, b) {
    return x @ w + b;
}

/// Rows of a table: table[v, d], ids[..] -> [.., d]. An id that is no row ends the program; of `ids?` it gives zeros.
///     let table = [[1.0, 2.0], [3.0, 4.0]] as f32;
///     print(nn.embedding(table, [1, 0, 1] as i32));
///     // [[3, 4],
///     //  [1, 2],
///     //  [3, 4]]
fn embedding[t: int](table, ids: t[..]) {
    return table[ids];
}

/// Sums of the rows of a table: table[v, d], ids[.., k] -> [.., d]. weights[.., k]: each row times one. An id that is no row ends the program; of `ids?` it counts as zeros.
///     let table = [[1.0, 2.0], [3.0, 4.0]] as f32;
///     print(nn.embedding_bag(table, [[1, 0], [0, 0]] as i32));
///     // [[4, 6],
///     //  [2, 4]]
fn embedding_bag[t: int](table, ids: t[..], weights = none) {
    let rows = table[ids];
    return sum(if weights == none => rows else mul_along(rows, weights), dim = -2);
}

/// The cosine of the angle between the lines of a and b along `dim`: [.., d], [.., d] -> [..]. Lines shorter than eps count as that long.
///     print(nn.cosine([[1.0, 0.0]] as f32, [[1.0, 1.0]] as f32));    // [0.707107]
fn cosine(a, b, eps = 1e-8, dim = -1) {
    return finish(sum_along(a * b, dim = dim)) / (maximum(norm(a, dim = dim), eps) * maximum(norm(b, dim = dim), eps));
}

/// Lines along `dim` divided by their length, those shorter than eps by eps.
///     print(nn.normalize([[3.0, 4.0]] as f32));    // [[0.6, 0.8]]
fn normalize(x, dim = -1, eps = 1e-12) {
    return div_along(x, maximum(norm(x, dim = dim), eps), dim = dim);
}

/// A matrix w[n, m] divided by its greatest singular value, and the line u[m] that the next call begins with: (w / sigma, u), sigma by a step of the power
/// method (Miyato et al., 2018). u is a state that begins with `normal()`; the derivative takes the singular vectors as they are.
///     let (v, u) = nn.spectral_norm([[3.0, 0.0], [0.0, 1.0]] as f32, [1.0, 0.0] as f32);
///     print(v, u);
///     // [[1, 0],
///     //  [0, 0.333333]] [1, 0]
fn spectral_norm(w, u, eps = 1e-12) {
    let still = stop_gradient(w);
    let v = normalize(finish(still @ stop_gradient(u)), eps = eps);
    let right = normalize(finish(v @ still), eps = eps);
    return (w / finish(sum(v * finish(w @ right))), right);
}

/// Attention, softmax(q k^T / sqrt(width)) v, of q, k, v [batch, heads, tokens, width]. Causal (or, causal = false, full); window = w: the last w tokens
/// only. k and v may have fewer heads (grouped queries): head h of q then reads head h * heads of k / heads of q. With fewer queries than
/// keys the queries are the last ones. Split over batch or heads, nothing moves; tokens that are split, or those of queries alone, stay so in
/// `nn.ring_attention(q, k, v, shards = …)`, or are exchanged for a split over heads before and after: `nn.attention(q to (cp=S(1)), …) to (cp=S(2))`.
///
/// mask: bools, true where a query may see: [batch, keys], [batch, queries, keys] or [batch, heads, queries, keys] (heads may be 1); a query that sees
/// nothing takes the mean of all. bias: [queries, keys], [heads, queries, keys] (`nn.alibi`) or [batch, heads, queries, keys], added to the scores. scale:
/// what products of queries and keys are multiplied by, if not 1 / sqrt(width). softcap = c: scores s become c tanh(s / c), as in Gemma 2. Of f16 it is
/// computed in f32, here and in `ring_attention` and `attention_step`.
///
/// From 512 tokens on (1024 if all see all) the scores are never there as a whole: blocks of them (Milakov and Gimelshein, 2018; Dao et al.,
/// 2022), without those that nobody sees, are computed one after the other, and again for gradients. They are turns of a loop, so that 65536
/// tokens compile like 4096, in 0.3 s. Blocks have at least 128 and at most 1024 tokens a side (causal ones 128 or 256 up to 8192 tokens, a 32nd of them up to 32768), so memory grows with
/// the tokens, not with their square: a training step of 4 causal heads of width 64 takes 66, 123 and 245 MB and, on one core, 0.6, 1.9 and
/// 6 s for 4096, 8192 and 16384 tokens. blocks = n: so many along queries and along keys; 1: all scores at once, kept for gradients, as with a
/// mask, bias or softcap, which is also for a q that alone is split over tokens.
///     let q = normal(rng(1), [1, 2, 3, 4]);
///     print(shape(nn.attention(q, q, q, causal = false)));    // [1, 2, 3, 4]
///     let v = reshape([1.0, 3.0] as f32, [1, 1, 2, 1]);
///     print(nn.attention(ones([1, 1, 2, 1]), ones([1, 1, 2, 1]), v));
///     // [[[[1],
///     //    [2]]]]
fn attention(q, k, v, causal = true, window = 0, blocks = 0, mask = none, bias = none, scale = none, softcap = none) {
    if q.dtype == f16 {
        let wide = if bias == none => none else bias as f32;
        return attention(q as f32, k as f32, v as f32, causal, window, blocks, mask, wide, scale, softcap) as f16;
    }
    if scale != none { return attention(rescaled(q, scale), k, v, causal, window, blocks, mask, bias, softcap = softcap); }
    let group = q.shape[1] / k.shape[1];
    if group > 1 { return attend(q, repeat_heads(k, group), repeat_heads(v, group), causal, window, blocks, mask, bias, softcap); }
    return attend(q, k, v, causal, window, blocks, mask, bias, softcap);
}

// Queries whose scores, divided by sqrt(width), are those of q times `scale`.
fn rescaled(q, scale) { return q * (scale * sqrt(q.shape[3])); }

fn attend(q, k, v, causal: bool, window: int, blocks: int, mask, bias, softcap) {
    let t = q.shape[2];
    let u = k.shape[2];
    let side = if !causal || window > 0 || u != t || q.dtype == bf16 => 512 else if u < 2048 => 128 else 256;
    let n = if blocks > 0 => min(blocks, t) else attention_blocks(t, u, causal || window > 0, side, if q.dtype == bf16 && !causal => 2 else 4);
    if n == 1 || u < t || mask != none || bias != none || softcap != none {
        return attend_whole(q, k, v, sight(causal, window, u - t), mask, bias, softcap);
    }
    let b = floor_div(t + n - 1, n);
    let c = floor_div(u + n - 1, n);
    let (rows, keys, news) = (tokens_padded(q, b), tokens_padded(k, c), tokens_padded(v, c));
    let seen = sight(causal, window, u - t);
    // How many blocks before its own a row sees some of.
    let before = floor_div(window + b - 2, b);
    let o = if u == t && window == 0 && (causal || t % b == 0) => attend_rows(rows, keys, news, b, causal)
        else if u == t && window > 0 && causal && before < 4 => attend_near(rows, keys, news, b, before, seen)
        else attend_seen(rows, keys, news, b, c, u, seen);
    return if t % b == 0 => o else o[.., .., 0..t, ..];
}

// With zeros behind the last token, so that blocks of b tokens divide them.
fn tokens_padded(x, b: int) {
    let t = x.shape[2];
    return if t % b == 0 => x else pad(x, after = b - t % b, dim = 2);
}

// In how many blocks the scores of t queries and u keys are computed: of `side` tokens up to 32 of them, of which gradients keep two numbers for
// each query, then of at most 1024. Where blocks above the diagonal are left out, those of 128 tokens, 256 of many, are fastest: less of the diagonal's is
// hidden, and scores of some heads stay in the second cache. Else, and of bf16, whose products are so fast that blocks are what takes time, there is nothing
// to gain below 512. Of few tokens it is faster to have all scores at once; of fewer where all are computed than where those that nobody sees are left out.
fn attention_blocks(t: int, u: int, hides: bool, side: int, least: int) {
    if t < (if hides => 512 else 1024) || u < t { return 1; }
    return max(least, max(min(32, floor_div(u, side)), floor_div(u + 1023, 1024)));
}

// What query i of a block sees: keys j of a block with low <= j - i <= high.
fn sight(causal: bool, window: int, shift: int) {
    return (if window > 0 => shift - window + 1 else -NEVER, if causal => shift else NEVER);
}
const NEVER : int = 1073741824;

op scores(q[n, h, i, c], k[n, h, j, c], scale: f64) -> [n, h, i, j] = sum[c] scale * q * k;
op weighted(a[n, h, i, j], v[n, h, j, c]) -> [n, h, i, c] = sum[j] a * v;
op hide_after(s[.., i, j], last: int) -> [.., i, j] = if j - i <= last => s else -1e30;
op hide_before(s[.., i, j], first: int) -> [.., i, j] = if j - i >= first => s else -1e30;

// Scores without those of keys that a query does not see.
fn hidden(s, q, k, seen) {
    let (low, high) = seen;
    let a = if high < k.shape[2] - 1 => hide_after(s, last = high) else s;
    return if low > 1 - q.shape[2] => hide_before(a, first = low) else a;
}

op shown_keys(s[n, h, i, j], m[n, j]: bool) -> [n, h, i, j] = if m => s else -1e30;
op shown(s[n, h, i, j], m[n, i, j]: bool) -> [n, h, i, j] = if m => s else -1e30;
op capped(s[n, h, i, j], most[]) -> [n, h, i, j] = most * tanh(s / most);

fn attend_whole(q, k, v, seen, mask, bias, softcap) {
    var s = scores(q, k, scale = 1.0 / sqrt(q.shape[3]));
    if softcap != none { s = capped(s, softcap); }
    if bias != none { s = s + bias; }
    s = hidden(s, q, k, seen);
    if mask != none { s = masked(s, mask); }
    return weighted(softmax(s), v);
}

fn masked(s, mask) {
    if rank(mask) == 2 { return shown_keys(s, mask); }
    if rank(mask) == 4 { return where(mask, s, -1e30); }
    return shown(s, mask);
}

/// What attention with linear biases (Press et al., 2022) adds to the scores: f32[heads, queries, keys], for the last queries of the keys. Head h
/// of n takes 2^(-8 (h + 1) / n) off for each position between query and key.
///     print(nn.alibi(2, 1, 3));
///     // [[[-0.125, -0.0625, -0]],
///     //  [[-0.0078125, -0.00390625, -0]]]
fn alibi(heads: int, queries: int, keys: int) {
    let slope = 2.0 ** ((iota(heads) as f32 + 1.0) * (-8.0 / heads));
    let i = (iota(queries) + (keys - queries)) as f32;
    let j = iota(keys) as f32;
    let bias[h, a, b] = -slope[h] * abs(i[a] - j[b]);
    return bias;
}

/// Positions as sines and cosines (Vaswani et al., 2017): f32[tokens, width], first + 0, first + 1, ...
///     print(nn.sinusoids(2, 4));
///     // [[0, 1, 0, 1],
///     //  [0.841471, 0.540302, 0.00999983, 0.99995]]
fn sinusoids(tokens: int, width: int, first = 0) {
    let j = iota(width);
    let rate = exp((j - j % 2) as f32 * (-ln(10000.0) / width));
    let angle = outer((iota(tokens) + first) as f32, rate);
    return where(j % 2 == 0, sin(angle), cos(angle));
}

// A row of blocks, from left to right: the greatest score so far, and relative to it the sums of exponentials and of values. The score is a
// constant for gradients, since the quotient does not depend on it.
op no_score(x[n, h, i], dtype: dtype) -> [n, h, i] = (if x == x => -1e30 else -1e30) as dtype;
op no_share(x[n, h, i], dtype: dtype) -> [n, h, i] = (if x == x => 0 else 0) as dtype;
op no_value(x[n, h, i], width: int, dtype: dtype) -> [n, h, i, width] = (if x == x && width > 0 => 0 else 0) as dtype;

fn row_begin(q, width: int) {
    let x = q[.., .., .., 0];
    return (no_score(x, dtype = q.dtype), no_share(x, dtype = q.dtype), no_values(q, width));
}

fn no_values(q, width: int) { return no_value(q[.., .., .., 0], width = width, dtype = q.dtype); }

// One more block, of scores(q, k, seen), which are computed again for gradients.
fn row_block(row, scores, q, k, seen, v) {
    let (top, total, values) = row;
    let now = stop_gradient(max(top, max(scores(q, k, seen), dim = 3)));
    let (sums, shares) = remat {
        let p = exp_less_along(scores(q, k, seen), now, 3);
        (sum(p, dim = 3), weighted(p, v))
    };
    let less = exp(top - now);
    return (now, total * less + sums, mul_along(values, less, dim = 3) + shares);
}

fn row_end(row) {
    let (top, total, values) = row;
    return div_along(values, total, dim = 3);
}

// Blocks of b tokens, up to those on the diagonal if that hides the others. Keys that pad are behind all queries.
fn attend_rows(q, k, v, b: int, causal: bool) {
    let n = floor_div(q.shape[2], b);
    var o = no_values(q, v.shape[3]);
    for i in 0..n {
        let rows = q[.., .., i * b..(i + 1) * b, ..];
        var row = row_begin(rows, v.shape[3]);
        for j in 0..(if causal => i + 1 else n) {
            let (keys, news) = (k[.., .., j * b..(j + 1) * b, ..], v[.., .., j * b..(j + 1) * b, ..]);
            row = row_block(row, scores_until, rows, keys, if causal => (i - j) * b else none, news);
        }
        o[.., .., i * b..(i + 1) * b, ..] = row_end(row);
    }
    return o;
}
fn scores_until(q, k, last) {
    let s = scores(q, k, scale = 1.0 / sqrt(q.shape[3]));
    return if last == none => s else hide_after(s, last = last);
}

// Blocks of b queries, each with the keys of so many blocks before it and of its own, which are few: all scores of a row of blocks at once.
fn attend_near(q, k, v, b: int, before: int, seen) {
    let n = floor_div(q.shape[2], b);
    let (low, high) = seen;
    let keys = near(k, blocks = n, width = (before + 1) * b, step = b, before = before * b);
    let news = near(v, blocks = n, width = (before + 1) * b, step = b, before = before * b);
    var o = no_values(q, v.shape[3]);
    for i in 0..n {
        let rows = q[.., .., i * b..(i + 1) * b, ..];
        let shown = (low + before * b, high + before * b, (before - i) * b);
        o[.., .., i * b..(i + 1) * b, ..] = row_end(row_block(row_begin(rows, v.shape[3]), near_scores, rows, keys[i], shown, news[i]));
    }
    return o;
}
fn near_scores(q, k, seen) {
    let (low, high, first) = seen;
    return hide_far(scores(q, k, scale = 1.0 / sqrt(q.shape[3])), low = low, high = high, first = first);
}
op near(x[n, h, t, c], blocks: int, width: int, step: int, before: int) -> [blocks, n, h, width, c] = x[n, h, blocks * step + width - before, c];
op hide_far(s[.., i, j], low: int, high: int, first: int) -> [.., i, j] = if low <= j - i && j - i <= high && j >= first => s else -1e30;

// Blocks of b queries and c keys, of which u are there; what is not seen of a block is hidden, and blocks that nobody sees are left out.
fn attend_seen(q, k, v, b: int, c: int, u: int, seen) {
    let (low, high) = seen;
    var o = no_values(q, v.shape[3]);
    for i in 0..floor_div(q.shape[2], b) {
        let rows = q[.., .., i * b..(i + 1) * b, ..];
        var row = row_begin(rows, v.shape[3]);
        for j in 0..floor_div(k.shape[2], c) {
            let past = i * b - j * c;
            if high + past > -b && low + past < c {
                let (keys, news) = (k[.., .., j * c..(j + 1) * c, ..], v[.., .., j * c..(j + 1) * c, ..]);
                row = row_block(row, block_scores, rows, keys, (low + past, high + past, u - j * c), news);
            }
        }
        o[.., .., i * b..(i + 1) * b, ..] = row_end(row);
    }
    return o;
}
op hide_outside(s[.., i, j], low: int, high: int, keys: int) -> [.., i, j] = if low <= j - i && j - i <= high && j < keys => s else -1e30;
fn block_scores(q, k, seen) {
    let (low, high, keys) = seen;
    return hide_outside(scores(q, k, scale = 1.0 / sqrt(q.shape[3])), low = low, high = high, keys = keys);
}

/// The same as `attention(q, k, v, causal, scale = scale)` where tokens are split over ranks, as a ring (Liu et al., 2023): of `shards` equal shards, as many as
/// ranks or several times as many, keys and values go from rank to rank, one shard at a time, while queries stay. Forward a rank sends
/// (shards - 1) shards of keys and values; for gradients they go round once more, the other way, and their gradients with them. Tokens exchanged for heads
/// are less, if there are as many heads as ranks. Scores are computed in blocks of up to 1024 tokens a side (or `blocks` along a shard's queries
/// and keys), and again for gradients, from the largest score of each query alone. So a rank's memory does not grow with the tokens of others:
/// a training step of one head of width 16 takes 29 MB of each of 4 to 16 ranks with 16384 tokens each, 31 of each of 128. Tokens that shards
/// do not divide are filled up, with some that nobody sees.
///
/// Keys and values may be whole on all ranks, as with few heads of keys that are gathered, and queries alone split: nothing moves forward, and the
/// gradients of keys and values are summed over ranks.
///
/// Of tokens in their order, causal queries compute what they do not see as well: the last shard sees everything. zigzag = true: tokens, those of
/// positions too, are in the order of `zigzag`, so that each rank has early and late ones (Fang and Zhao, 2024); what nobody sees is left
/// out, which is half of it, and all ranks have the same work.
///     let q = normal(rng(1), [1, 2, 6, 4]) to @one : S(2);
///     print(max(abs((nn.ring_attention(q, q, q, shards = 3) to B) - nn.attention(q to B, q to B, q to B))) < 1e-5);    // true
fn ring_attention(q, k, v, shards: int, causal = true, zigzag = false, blocks = 0, scale = none) {
    if q.dtype == f16 { return ring_attention(q as f32, k as f32, v as f32, shards, causal, zigzag, blocks, scale) as f16; }
    if scale != none { return ring_attention(rescaled(q, scale), k, v, shards, causal, zigzag, blocks); }
    let t = q.shape[2];
    assert(k.shape[2] == t, message = "a ring takes as many keys as queries");
    assert(t % shards == 0 || !zigzag, message = "in a zigzag, shards are equal");
    // The tokens of one rank are split as those of several are, which a dimension of one shard would not be. So it is cut in two; a zigzag of one shard has
    // its tokens in their order.
    if shards > 1 || t <= 1 { return ring_filled_up(q, k, v, shards, causal, zigzag, blocks); }
    assert(!causal || !zigzag || t % 2 == 0, message = "in a zigzag a shard is two equal halves");
    return ring_filled_up(q, k, v, 2, causal, false, if blocks > 0 && floor_div(t + 1, 2) % blocks == 0 => blocks else 0);
}

fn ring_filled_up(q, k, v, shards: int, causal: bool, zigzag: bool, blocks: int) {
    let t = q.shape[2];
    let more = shards * floor_div(t + shards - 1, shards) - t;
    if more == 0 { return ring_of_equal(q, k, v, shards, causal, zigzag, blocks, none); }
    // What is filled up stands behind all queries, so causal ones do not see it; from others it is hidden.
    let seen = if causal => none else t;
    let o = ring_of_equal(tokens_behind(q, more), tokens_behind(k, more), tokens_behind(v, more), shards, causal, zigzag, blocks, seen);
    return laid_out_like(q, o[.., .., 0..t, ..]);
}

fn tokens_behind(x, more: int) { return laid_out_like(x, pad(x, after = more, dim = 2)); }
fn laid_out_like[t: float, l: layout](p: t[..] : l, x) { return x to l; }

// seen: the first so many keys, none: all.
fn ring_of_equal(q, k, v, shards: int, causal: bool, zigzag: bool, blocks: int, seen) {
    let (n, h, t, e) = (q.shape[0], q.shape[1], q.shape[2], q.shape[3]);
    let (g, w) = (k.shape[1], v.shape[3]);
    let halves = causal && zigzag;
    assert(!halves || t % (2 * shards) == 0, message = "in a zigzag a shard is two equal halves");
    let (m, r) = (floor_div(t, shards), floor_div(h, g));
    // The r heads that share keys stand next to each other: token i is rows r * i to r * (i + 1).
    let rows = reshape(heads_last(reshape(q, [n, g, r, shards, m, e])), [n, g, shards, m * r, e]);
    let keys = reshape(k, [n, g, shards, m, e]);
    let news = reshape(v, [n, g, shards, m, w]);
    let o = if halves => ring_of_halves(rows, keys, news, r, blocks) else ring_of_shards(rows, keys, news, r, blocks, causal, seen);
    return reshape(heads_first(reshape(o, [n, g, shards, m, r, w])), [n, h, t, w]);
}

op heads_last(q[n, g, r, c, i, e]) -> [n, g, c, i, r, e] = q;
op heads_first(o[n, g, c, i, r, e]) -> [n, g, r, c, i, e] = o;

// Forward, sums are kept for the largest score so far. For gradients they are the same sums for the largest of all, which is known by then: nothing of
// them is multiplied again from block to block, so nothing is kept of a block.
fn ring_of_shards(q, first, v, r: int, blocks: int, causal: bool, seen) {
    let row = ring_round(ring_begin(q, v.shape[4]), q, first, v, r, blocks, causal, seen, false);
    return ring_end(row, ring_round(ring_again(row), q, first, v, r, blocks, causal, seen, true));
}

fn ring_round(begin, q, first, v, r: int, blocks: int, causal: bool, seen, again: bool) {
    let shards = q.shape[2];
    var (keys, news) = (first, v);
    var row = ring_part(begin, q, keys, news, r, blocks, causal, if seen != none => 0 else none, again, seen);
    for hop in 1..shards {
        (keys, news) = remat { (next_shard(first, keys), next_shard(first, news)) };
        row = ring_part(row, q, keys, news, r, blocks, false, if causal || seen != none => hop else none, again, seen);
    }
    return row;
}

// A shard is an early half of tokens and a late one, as zigzag puts them. The late queries see all early keys; and where shard c meets that of rank
// c - hop, the early queries see its early keys, or, once round the ring, the late queries its late keys. Nobody sees the others. The halves of
// keys and values go round each by itself, so that nothing of them is cut out in a turn, and kept of it.
fn ring_of_halves(q, first, v, r: int, blocks: int) {
    let m = floor_div(first.shape[3], 2);
    let early = q[.., .., .., 0..m * r, ..];
    let late = q[.., .., .., m * r..2 * m * r, ..];
    let (left, right) = ring_round_of_halves(ring_begin(early, v.shape[4]), ring_begin(late, v.shape[4]), early, late, first, v, r, blocks, false);
    let (x, y) = ring_round_of_halves(ring_again(left), ring_again(right), early, late, first, v, r, blocks, true);
    return concat([ring_end(left, x), ring_end(right, y)], dim = 3);
}

fn ring_round_of_halves(begin, behind, early, late, first, v, r: int, blocks: int, again: bool) {
    let (shards, m) = (early.shape[2], floor_div(first.shape[3], 2));
    let (k0, k1) = (laid_out_like(first, tokens(first, 0, m)), laid_out_like(first, tokens(first, m, 2 * m)));
    let (v0, v1) = (laid_out_like(first, tokens(v, 0, m)), laid_out_like(first, tokens(v, m, 2 * m)));
    var (keys, news, later, last) = (k0, v0, k1, v1);
    var left = ring_part(begin, early, keys, news, r, blocks, true, none, again);
    var right = ring_part(behind, late, keys, news, r, blocks, false, none, again);
    right = ring_part(right, late, later, last, r, blocks, true, none, again);
    for hop in 1..shards {
        (keys, news, later, last) = remat { (next_shard(k0, keys), next_shard(k0, news), next_shard(k0, later), next_shard(k0, last)) };
        right = ring_part(right, late, keys, news, r, blocks, false, none, again);
        let met = remat {
            ring_part(either_row(left, right, hop), either(early, late, hop = hop), either(keys, later, hop = hop), either(news, last, hop = hop),
                      r, blocks, false, none, again)
        };
        left = ring_scored(either_row(met, left, hop), begin, again);
        right = ring_scored(either_row(right, met, hop), behind, again);
    }
    return (left, right);
}

// a where shard c meets one before it, b where it meets one behind it.
op either(a[n, g, c, i, e], b[n, g, c, i, e], hop: int) -> [n, g, c, i, e] = if c >= hop => a else b;
op either_of_rows(a[n, g, c, i], b[n, g, c, i], hop: int) -> [n, g, c, i] = if c >= hop => a else b;
fn either_row(a, b, hop) {
    let ((x, y, z), (u, v, w)) = (a, b);
    return (either_of_rows(x, u, hop = hop), either_of_rows(y, v, hop = hop), either(z, w, hop = hop));
}

fn tokens(x, from: int, until: int) { return x[.., .., .., from..until, ..]; }

// Queries of each shard with keys, block by block: up to 1024 tokens a side, if some number near that divides them, else as a whole. diagonal: queries
// see keys up to their own; hop: only where c >= hop, or, of shards where only the first tokens are `seen`, those; again: the largest scores are known.
fn ring_part(row, q, k, v, r: int, blocks: int, diagonal: bool, hop, again: bool, seen = none) {
    let n = if blocks > 0 => blocks else ring_blocks(k.shape[3]);
    if n == 1 { return ring_block(row, q, k, v, r, if diagonal => 0 else none, hop, again, k.shape[3], seen); }
    assert(k.shape[3] % n == 0, message = "blocks of a ring divide the tokens of a shard, in a zigzag of half a shard");
    let b = floor_div(k.shape[3], n);
    let s = b * r;
    let (top, total, values) = row;
    var (tops, totals, sums) = row;
    for i in 0..n {
        let rows = q[.., .., .., i * s..(i + 1) * s, ..];
        let before = top[.., .., .., i * s..(i + 1) * s];
        var now = (before, total[.., .., .., i * s..(i + 1) * s], values[.., .., .., i * s..(i + 1) * s, ..]);
        for j in 0..(if diagonal => i + 1 else n) {
            let (keys, news) = (k[.., .., .., j * b..(j + 1) * b, ..], v[.., .., .., j * b..(j + 1) * b, ..]);
            let left = if seen != none => seen - j * b else none;
            now = ring_block(now, rows, keys, news, r, if diagonal => (i - j) * b else none, hop, again, k.shape[3], left);
        }
        let (x, y, z) = now;
        tops[.., .., .., i * s..(i + 1) * s] = x;
        totals[.., .., .., i * s..(i + 1) * s] = y;
        sums[.., .., .., i * s..(i + 1) * s, ..] = z;
    }
    return (tops, totals, sums);
}
fn ring_blocks(m: int) {
    let n = floor_div(m + 1023, 1024);
    return ring_divisor(m, n, 4 * n);
}
fn ring_divisor(m: int, n: int, most: int) {
    if m % n == 0 { return n; }
    if n == most { return 1; }
    return ring_divisor(m, n + 1, most);
}

fn ring_begin(q, width: int) {
    let x = q[.., .., .., .., 0];
    let (low, zero) = (ring_filled(x, with = -1e30, dtype = q.dtype), ring_filled(x, with = 0.0, dtype = q.dtype));
    return (low, zero, ring_zeros(x, width = width, dtype = q.dtype));
}
op ring_filled(x[n, g, c, i], with: f64, dtype: dtype) -> [n, g, c, i] = (if x == x => with else with) as dtype;
op ring_zeros(x[n, g, c, i], width: int, dtype: dtype) -> [n, g, c, i, width] = (if x == x && width > 0 => 0 else 0) as dtype;
fn ring_again(row) {
    let (top, total, values) = row;
    return (stop_gradient(top), ring_none(total, dtype = total.dtype), ring_none(values, dtype = values.dtype));
}
fn ring_scored(row, begin, again: bool) {
    let (_, total, values) = row;
    return if again => (begin[0], total, values) else row;
}
op ring_none(x[..], dtype: dtype) -> [..] = (if x == x => 0 else 0) as dtype;
fn ring_end(row, again) {
    let (_, total, values) = row;
    let (_, sums, shares) = again;
    return div_along(as_if(values, shares), as_if(total, sums), dim = 4);
}

fn ring_block(row, q, k, v, r: int, last, hop, again: bool, shard: int, seen) {
    let (top, total, values) = row;
    let now = if again => top else stop_gradient(max(top, max(ring_seen(q, k, r, last, hop, shard, seen), dim = 4)));
    let (sums, shares) = remat {
        let p = exp_less_along(ring_seen(q, k, r, last, hop, shard, seen), now, 4);
        (sum(p, dim = 4), ring_weighted(p, v))
    };
    if again { return (now, total + sums, values + shares); }
    let less = exp(top - now);
    return (now, total * less + sums, mul_along(values, less, dim = 4) + shares);
}
op ring_scores(q[n, g, c, i, e], k[n, g, c, j, e], scale: f64) -> [n, g, c, i, j] = sum[e] scale * q * k;
op ring_weighted(a[n, g, c, i, j], v[n, g, c, j, e]) -> [n, g, c, i, e] = sum[j] a * v;
op hide_later(s[.., i, j], r: int, last: int) -> [.., i, j] = if r * (j - last) <= i => s else -1e30;
op hide_round(s[.., c, i, j], hop: int) -> [.., c, i, j] = if c >= hop => s else -1e30;
// Of the shard that shard c meets after so many hops, what stands behind `seen` tokens of all shards.
op hide_filled(s[.., c, i, j], hop: int, shard: int, seen: int) -> [.., c, i, j] = if (c + extent(c) - hop) % extent(c) * shard + j < seen => s else -1e30;

fn ring_seen(q, k, r: int, last, hop, shard: int, seen) {
    let s = ring_scores(q, k, scale = 1.0 / sqrt(q.shape[4]));
    if seen != none { return hide_filled(s, hop = hop, shard = shard, seen = seen); }
    return if last != none => hide_later(s, r = r, last = last) else if hop != none => hide_round(s, hop = hop) else s;
}

// Shards of x, laid out like p, each where the next one was.
fn next_shard(p, x) { return laid_out_like(p, roll(x, 1, dim = 2)); }

/// The order of tokens in which a causal ring has equal work on all ranks: i64[tokens], of each place the token that stands there. Of 2 * shards
/// equal parts, shard c is part c and part 2 * shards - 1 - c. Ids, labels and positions are put in this order: `take(ids, nn.zigzag(t, shards = 4))`.
///     print(nn.zigzag(8, shards = 2));    // [0, 1, 6, 7, 2, 3, 4, 5]
fn zigzag(tokens: int, shards: int) {
    let m = floor_div(tokens, 2 * shards);
    assert(m * 2 * shards == tokens, message = "in a zigzag a shard is two equal halves");
    let i = iota(tokens);
    let part = floor_div(i, m);
    let c = floor_div(part, 2);
    return where(part % 2 == 0, c, 2 * shards - 1 - c) * m + i % m;
}

/// Attention of one new token, at position `at` of its text, to itself and all before it: q, k, v [batch, heads, 1, width]. `past` has
/// the fields k and v, caches [batch, heads, room, width] of the program: k and v of the token are put into them at `at`, those of
/// positions 0 to at - 1 are there already. Gives what row `at` of `attention` over the whole text would be.
///     let k = ones([1, 1, 1, 2]);
///     let v = reshape([5.0, 7.0] as f32, [1, 1, 1, 2]);
///     print(nn.attention_step(ones([1, 1, 1, 2]), k, v, past, 0));    // [[[[5, 7]]]]
fn attention_step(q, k, v, past, at, scale = none) {
    if scale != none {
        let wide = if q.dtype == f16 => rescaled(q as f32, scale) as f16 else rescaled(q, scale);
        return attention_step(wide, k, v, past, at);
    }
    let n = k.shape[0];
    let g = k.shape[1];
    past.k[0..n, 0..g, at] = k[0..n, 0..g, 0];
    past.v[0..n, 0..g, at] = v[0..n, 0..g, 0];
    let group = q.shape[1] / g;
    if group > 1 { return attend_at(q, repeat_heads(past.k, group), repeat_heads(past.v, group), at); }
    return attend_at(q, past.k, past.v, at);
}

fn attend_at[n, h, u, e, d: float](q: d[n, h, 1, e], k: d[n, h, u, e], v: d[n, h, u, e], at: int) {
    if q.dtype == f16 { return attend_at(q as f32, k as f32, v as f32, at) as f16; }
    let scale = 1.0 / sqrt(e);
    let s[n, h, i, j] = scale * sum[c] q[n, h, i, c] * k[n, h, j, c];
    let seen[n, h, i, j] = if j <= at => s[n, h, i, j] else -1e30;
    let a = softmax(seen);
    let o[n, h, i, c] = sum[j] a[n, h, i, j] * v[n, h, j, c];
    return o;
}

/// A class for each row of logits[.., classes], i32[..], drawn with probability softmax(logits / temperature) among the `top` classes
/// with the largest logits (0: among all), and of these among the fewest whose probabilities sum to p (Holtzman et al., 2020). Temperature 0
/// takes the largest. All three may be numbers of the running program. The draw depends on key, logits and position alone.
///     let logits = [[0.0, 9.0], [9.0, 0.0]] as f32;
///     print(nn.sample(rng(1), logits), nn.sample(rng(1), logits, temperature = 0.0));    // [1, 0] [1, 0]
fn sample(key: rngkey, logits, temperature = 1.0, top = 0, p = 1.0) {
    let best = if is_known(top) && top == 0 => logits else likeliest(logits, top);
    let among = if is_known(p) && p >= 1.0 => best else nucleus(best, temperature, p);
    if is_known(temperature) && temperature == 0.0 { return argmax(among); }
    return argmax(among + temperature * gumbel(key, shape(logits), logits.dtype));
}

// The classes whose probability is above the largest threshold, up to 2^-40, above which there is p or more.
fn nucleus(logits, temperature, p) {
    let q = softmax(logits / max(temperature, 1e-6));
    var low = sum(q, dim = -1) * 0.0;
    var step = 1.0;
    for i in 0..40 {
        step = 0.5 * step;
        let there = finish(sum(where(sub_along(q, low + step) > 0.0, q, 0.0), dim = -1));
        low = where(there >= p, low + step, low);
    }
    return where(sub_along(q, low) > 0.0, logits, -1e30);
}

fn likeliest(logits, top) {
    let first = ranking(logits, descending = true) < (if top == 0 => shape(logits)[-1] else top);
    return where(first, logits, -1e30);
}

op of_beams(tokens[n, v, t]: int, beam[n, w]: int) -> [n, w, t] = tokens[n, beam, t];
op only_one(start[n]: int, width: int, dtype: dtype) -> [n, width] = (if start == start && width > 0 => -1e30 else 0) as dtype;
op begin_with(start[n]: int, width: int, length: int) -> [n, width, length] = if length == 0 => start else 0;
op or_ended(logp[n, w, c], last[n, w]: int, end: int) -> [n, w, c] = if last == end => (if c == end => 0 else -1e30) else logp;
op joined_scores(logp[n, w, c], score[n, w]) -> [n, w, c] = logp + score;

/// The likeliest texts of `length` tokens that begin with start[n], of those that stay among the `width` likeliest at each place: (tokens i32[n, width,
/// length], logarithms of their probabilities f32[n, width]), the best first. next(tokens[n, width, length], at) gives logits[n, width,
/// classes] of what follows place `at`, an int of the running program; tokens behind it are 0. Behind the class `end`, if it is given, stand only more of it.
/// Where there are fewer than `width` texts, the others have scores below -1e29. Split over n, nothing moves.
///     let (tokens, score) = nn.beam_search(follows, [0, 2] as i32, width = 1, length = 4);
///     print(tokens);
///     // [[[0, 1, 2, 0]],
///     //  [[2, 0, 1, 2]]]
fn beam_search[n](next, start: i32[n], width: int, length: int, end: int = -1) {
    var tokens = begin_with(start, width = width, length = length) as i32;
    var scores = only_one(start, width, f32);
    for t in 0..length - 1 {
        let logp = or_ended(log_softmax(next(tokens, t)), tokens[.., .., t], end = end);
        let classes = shape(logp)[2];
        let (best, at) = top_k(reshape(joined_scores(logp, scores), [n, width * classes]), width);
        scores = best;
        tokens = of_beams(tokens, floor_divide(at, classes as i32));
        tokens[.., .., t + 1] = at % classes;
    }
    return (tokens, scores);
}

/// x[batch, heads, tokens, width] with each head `times` times in a row.
///     print(shape(nn.repeat_heads(ones([1, 2, 3, 4]), 2)));    // [1, 4, 3, 4]
fn repeat_heads[n, h, t, e, d: float](x: d[n, h, t, e], times: int) {
    return reshape(repeat_each(x, times), [n, h * times, t, e]);
}

op repeat_each(x[n, h, t, e], times: int) -> [n, h, times, t, e] = x[n, h, t, e];

/// Rotary positions (Su et al., 2021) of q or k [batch, heads, tokens, width]: the halves of each head are rotated by angles that
/// grow with the token's place, first + 0, first + 1, ... positions: the places of the tokens, ints [tokens], or [batch, tokens] for each text its own,
/// where they are not in their order (`nn.zigzag`). rates: by how much the angle of each pair grows, [width / 2], if not base^(-2 i / width), for longer
/// contexts (`nn.rotary_rates`). neighbours = true: a pair is two neighbours, as in RoFormer and GPT-J, and not one of each half, as in Llama.
///     print(nn.rotary([[[[1.0, 0.0], [1.0, 0.0]]]]));
///     // [[[[1, 0],
///     //    [0.540302, 0.841471]]]]
///     let q = reshape([1.0, 2.0, 3.0, 4.0] as f32, [1, 1, 1, 4]);
///     print(nn.rotary(q, positions = [1], rates = [pi / 2.0, 0.0], neighbours = true) + 1.0);    // [[[[-1, 2, 4, 5]]]]
fn rotary[n, h, t, e, d: float](x: d[n, h, t, e], base = 10000.0, first = 0, positions = none, rates = none, neighbours: bool = false) {
    assert(e % 2 == 0, message = "`rotary` turns pairs: the last dimension is even");
    let half = e / 2;
    let angle = if x.dtype == f64 => angles(t, half, base, first, positions, rates, f64) else angles(t, half, base, first, positions, rates, f32);
    let c = cos(angle) as d;
    let s = sin(angle) as d;
    if neighbours {
        let two = reshape(x, [n, h, t, half, 2]);
        let (a, b) = (two[.., 0], two[.., 1]);
        return reshape(stack([a * c - b * s, b * c + a * s], dim = 4), [n, h, t, e]);
    }
    let a = x[.., 0..half];
    let b = x[.., half..e];
    return concat([a * c - b * s, b * c + a * s]);
}

fn angles(tokens: int, half: int, base, first, positions, rates, dtype: dtype) {
    let rate = if rates == none => rotary_rates(2 * half, base, dtype = dtype) else rates as dtype;
    if positions == none { return outer((iota(tokens) + first) as dtype, rate); }
    let angle = unsqueeze(positions as dtype) * rate;
    return if rank(angle) == 3 => unsqueeze(angle, dim = 1) else angle;
}

/// By how much the angles of `rotary` grow from token to token, [width / 2]: base^(-2 i / width). stretch: waves of more than context / low tokens are so many times as
/// long, those of less than context / high tokens stay, and between it goes over, as in Llama 3.1; with low = high = 0 all of them are (Chen et al., 2023).
///     print(nn.rotary_rates(4), nn.rotary_rates(4, stretch = 8.0, context = 64.0));    // [1, 0.01] [1, 0.00125]
fn rotary_rates(width: int, base = 10000.0, stretch = 1.0, context = 8192.0, low = 1.0, high = 4.0, dtype: dtype = f32) {
    let half = width / 2;
    let rate = exp((iota(half) as dtype) * (-ln(base) / half));
    if is_known(stretch) && stretch == 1.0 { return rate; }
    if is_known(high) && high == 0.0 { return rate / stretch; }
    let turns = rate * (context / (2.0 * pi));
    let share = clamp((turns - low) / (high - low), 0.0, 1.0);
    return rate * (share + (1.0 - share) / stretch);
}

// ---- activations beyond those of the prelude

/// x where it is positive, alpha (exp(x) - 1) elsewhere (Clevert et al., 2016).
///     print(nn.elu([-1.0, 2.0]));    // [-0.632121, 2]
fn elu(x, alpha = 1.0) { return elu_at(x, alpha); }
op elu_at(x[..], alpha[]) -> [..] = if x > 0 => x else alpha * expm1(if x > 0 => 0 else x);

/// elu with the constants that keep mean 0 and variance 1 (Klambauer et al., 2017).
///     print(nn.selu([-1.0, 2.0]));    // [-1.11133, 2.1014]
op selu(x[..]) -> [..] = 1.0507009873554805 * (if x > 0 => x else 1.6732632423543772 * expm1(if x > 0 => 0 else x));

/// elu whose slope at 0 is 1 for every alpha (Barron, 2017): alpha (exp(x / alpha) - 1) below 0.
///     print(nn.celu([-1.0, 2.0] as f32, alpha = 2.0));    // [-0.786939, 2]
fn celu(x, alpha = 1.0) { return celu_at(x, alpha); }
op celu_at(x[..], alpha[]) -> [..] = if x > 0 => x else alpha * expm1(if x > 0 => 0 else x / alpha);

/// x where it is positive, else times a slope that is learnt, one for all or one for each channel (He et al., 2015): x[n, c, ..], slope[] or slope[c].
///     print(nn.prelu([[-1.0, 2.0], [3.0, -4.0]] as f32, [0.25, 0.5] as f32));
///     // [[-0.25, 2],
///     //  [3, -2]]
fn prelu(x, slope) {
    if rank(slope) == 0 { return leaky_relu(x, slope); }
    return reshape(leaky_channels(reshape(x, [shape(x)[0], shape(x)[1], -1]), slope), shape(x));
}
op leaky_channels(x[n, c, k], slope[c]) -> [n, c, k] = where(x > 0, x, slope * x);

/// x / (1 + |x|).
///     print(nn.softsign([-1.0, 3.0] as f32));    // [-0.5, 0.75]
op softsign(x[..]) -> [..] = x / (1 + abs(x));

/// x brought nearer to 0 by `by`, and 0 where it is nearer already.
///     print(nn.soft_shrink([-2.0, 0.25] as f32));    // [-1.5, 0]
op soft_shrink(x[..], by[] = 0.5) -> [..] = if x > by => x - by else if x < -by => x + by else if x == x => 0 else x;
/// x where it is farther from 0 than `by`, else 0.
///     print(nn.hard_shrink([-2.0, 0.25] as f32));    // [-2, 0]
op hard_shrink(x[..], by[] = 0.5) -> [..] = if abs(x) <= by => 0 else x;

/// x tanh(softplus(x)) (Misra, 2019).
///     print(nn.mish([-1.0, 2.0]));    // [-0.303401, 1.94396]
op mish(x[..]) -> [..] = x * tanh(softplus(x));

/// log(sigmoid(x)) without overflow.
///     print(nn.log_sigmoid([-1.0, 2.0] as f32));    // [-1.31326, -0.126928]
fn log_sigmoid(x) { return -softplus(-x); }

/// min(max(x, 0), 6).
///     print(nn.relu6([-1.0, 2.0, 8.0]));    // [0, 2, 6]
op relu6(x[..]) -> [..] = min(max(x, 0), 6);

/// min(max(x, -1), 1).
///     print(nn.hard_tanh([-2.0, 0.5, 3.0]));    // [-1, 0.5, 1]
op hard_tanh(x[..]) -> [..] = min(max(x, -1), 1);

/// min(max(x + 3, 0), 6) / 6, and x times that (Howard et al., 2019).
///     print(nn.hard_sigmoid([-4.0, 0.0, 4.0] as f32));    // [0, 0.5, 1]
op hard_sigmoid(x[..]) -> [..] = min(max(x + 3, 0), 6) / 6;

/// x hard_sigmoid(x).
///     print(nn.hard_swish([-4.0, 1.0, 4.0] as f32));    // [0, 0.666667, 4]
op hard_swish(x[..]) -> [..] = if x <= -3 => 0 else if x >= 3 => x else x * (x + 3) / 6;

/// The first half along `dim` times the sigmoid of the second (Dauphin et al., 2017): [.., 2 d] -> [.., d].
///     print(nn.glu([[1.0, 2.0, 0.0, 0.0]] as f32));    // [[0.5, 1]]
fn glu(x, dim = -1) {
    let d = shape(x)[dim];
    assert(d % 2 == 0, message = "`nn.glu` takes an even number along `dim`");
    return part_along(x, 0, d / 2, dim) * sigmoid(part_along(x, d / 2, d / 2, dim));
}

// ---- recurrent cells (one step) and layers (all steps). The gates stand side by side, as torch has them (transposed).

/// tanh(x w + h u + b): x[n, in], h[n, d], w[in, d], u[d, d], b[d] -> [n, d].
///     print(nn.rnn_cell(ones([1, 1]), zeros([1, 2]), [[0.5, -0.5]], eye(2), zeros([2])));    // [[0.462117, -0.462117]]
fn rnn_cell(x, h, w, u, b) {
    return tanh(x @ w + h @ u + b);
}

/// A step of an LSTM (Hochreiter, Schmidhuber, 1997): x[n, in], h and c[n, d], w[in, 4 d], u[d, 4 d], b[4 d], gates in the order input, forget,
/// candidate, output -> (h, c): `(h, c) = nn.lstm_cell(x[.., t, ..], h, c, w, u, b);`.
///     let (h, c) = nn.lstm_cell(ones([1, 1]), zeros([1, 1]), zeros([1, 1]), ones([1, 4]), zeros([1, 4]), zeros([4]));
///     print(h, c);    // [[0.369606]] [[0.55677]]
fn lstm_cell(x, h, c, w, u, b) {
    let z = x @ w + h @ u + b;
    let d = shape(h)[-1];
    let kept = sigmoid(z[.., d..2 * d]) * c + sigmoid(z[.., 0..d]) * tanh(z[.., 2 * d..3 * d]);
    return (sigmoid(z[.., 3 * d..4 * d]) * tanh(kept), kept);
}

/// A step of a GRU (Cho et al., 2014): x[n, in], h[n, d], w[in, 3 d], u[d, 3 d], b and c[3 d], gates in the order reset, update, candidate -> [n, d].
/// b is added to x w and c to h u, of which the reset gate takes its part.
///     print(nn.gru_cell(ones([1, 1]), zeros([1, 1]), ones([1, 3]), zeros([1, 3]), zeros([3]), zeros([3])));
///     // [[0.204824]]
fn gru_cell(x, h, w, u, b, c) {
    let a = x @ w + b;
    let r = h @ u + c;
    let d = shape(h)[-1];
    let z = sigmoid(a[.., d..2 * d] + r[.., d..2 * d]);
    let new = tanh(a[.., 2 * d..3 * d] + sigmoid(a[.., 0..d] + r[.., 0..d]) * r[.., 2 * d..3 * d]);
    return new + z * (h - new);
}

/// All steps of `lstm_cell`, from zeros on: x[n, t, in] -> (what h was behind each token [n, t, d], h, c [n, d] behind the last). lengths[n], ints: texts
/// that end before t; behind their end the first result is 0, and h and c stay as they are. reversed: from the last token to the first; both ways side by side are
/// `concat([nn.lstm(x, a.w, a.u, a.b)[0], nn.lstm(x, b.w, b.u, b.b, reversed = true)[0]])`.
///     let (y, h, c) = nn.lstm(ones([1, 3, 1]), ones([1, 4]), zeros([1, 4]), zeros([4]), lengths = [2] as i32);
///     print(reshape(y, [3]), h, c);    // [0.369606, 0.545346, 0] [[0.545346]] [[0.963801]]
fn lstm[n, t, i, e: float](x: e[n, t, i], w, u, b, lengths = none, reversed: bool = false) {
    let d = shape(u)[0];
    var (h, c) = (zeros([n, d], dtype = e), zeros([n, d], dtype = e));
    var y = zeros([n, t, d], dtype = e);
    for k in 0..t {
        let at = if reversed => t - 1 - k else k;
        let (next, kept) = lstm_cell(x[.., at, ..], h, c, w, u, b);
        if lengths == none {
            (h, c) = (next, kept);
            y[.., at, ..] = h;
        } else {
            let there = unsqueeze(lengths > at, dim = 1);
            (h, c) = (where(there, next, h), where(there, kept, c));
            y[.., at, ..] = where(there, next, 0.0);
        }
    }
    return (y, h, c);
}

/// The same of `gru_cell`: x[n, t, in] -> (h behind each token [n, t, d], h [n, d] behind the last).
///     let (y, h) = nn.gru(ones([1, 2, 1]), ones([1, 3]), zeros([1, 3]), zeros([3]), zeros([3]), reversed = true);
///     print(y, h);
///     // [[[0.354563],
///     //   [0.204824]]] [[0.354563]]
fn gru[n, t, i, e: float](x: e[n, t, i], w, u, b, c, lengths = none, reversed: bool = false) {
    let d = shape(u)[0];
    var h = zeros([n, d], dtype = e);
    var y = zeros([n, t, d], dtype = e);
    for k in 0..t {
        let at = if reversed => t - 1 - k else k;
        let next = gru_cell(x[.., at, ..], h, w, u, b, c);
        if lengths == none {
            h = next;
            y[.., at, ..] = h;
        } else {
            let there = unsqueeze(lengths > at, dim = 1);
            h = where(there, next, h);
            y[.., at, ..] = where(there, next, 0.0);
        }
    }
    return (y, h);
}

// ---- state spaces

op decayed(h[n, d, s], x[n, d], delta[n, d], rate[d, s], b[n, s]) -> [n, d, s] = exp(delta * rate) * h + delta * x * b;
op seen_by(h[n, d, s], c[n, s]) -> [n, d] = sum[s] c * h;
op no_state(x[n, d], rate[d, s], dtype: dtype) -> [n, d, s] = (if x == x && rate == rate => 0 else 0) as dtype;

/// What states h[d, s] say of each token, that decay at rates a[d, s], below 0, over times which each token sets itself, and take it in (Gu, Dao, 2023):
/// h = exp(delta a) h + delta x b, y = h c + skip x, of x and delta[n, t, d], b and c[n, t, s], skip[d] -> y[n, t, d]. A loop over the tokens;
/// gradients keep n t d s numbers. Split over n or d, nothing moves.
///     let x = ones([1, 3, 1]);
///     print(nn.selective_scan(x, x, [[-1.0]] as f32, x, x, zeros([1])));
///     // [[[1],
///     //   [1.36788],
///     //   [1.50321]]]
fn selective_scan[n, t, d, s, e: float](x: e[n, t, d], delta: e[n, t, d], a: e[d, s], b: e[n, t, s], c: e[n, t, s], skip: e[d]) {
    if t == 0 { return x * skip; }
    var h = no_state(x[.., 0, ..], a, x.dtype);
    var y = x;
    for i in 0..t {
        h = decayed(h, x[.., i, ..], delta[.., i, ..], a, b[.., i, ..]);
        y[.., i, ..] = finish(seen_by(h, c[.., i, ..]));
    }
    return y + x * skip;
}

/// Each channel with a filter of its own, over the tokens up to and with each: x[n, t, c], w[c, k] -> [n, t, c]; the last tap is for the token itself.
///     print(nn.causal_conv([[[1.0], [2.0], [4.0]]] as f32, [[10.0, 1.0]] as f32));
///     // [[[1],
///     //   [12],
///     //   [24]]]
op causal_conv(x[n, t, c], w[c, k]) -> [n, t, c] = sum[k] x[n, t + k - (extent(k) - 1), c] * w;

/// What a layer of `mamba` has: tokens of width d, e channels with s states each, r numbers that say how long a token's time is, filters of k taps:
/// `param layer : nn.Mamba[64, 128, 16, 4, 4, p];`.
///     print(shape(layer.up), shape(layer.rate), shape(layer.filter));    // [4, 16] [8, 3] [8, 4]
struct Mamba[d, e, s, r, k, p: place] {
    up     : f32[d, 2 * e] @ p = xavier(),
    filter : f32[e, k] @ p = state_filter(),
    shift  : f32[e] @ p = zeros(),
    mix    : f32[e, r + 2 * s] @ p = xavier(),
    time   : f32[r, e] @ p = xavier(),
    least  : f32[e] @ p = state_times(),
    rate   : f32[e, s] @ p = state_rates(),
    skip   : f32[e] @ p = ones(),
    down   : f32[e, d] @ p = xavier()
}

fn state_filter(key: rngkey, shape: shape, dtype: dtype = f32) { return uniform(key, shape, low = -1.0 / sqrt(shape[1]), high = 1.0 / sqrt(shape[1]), dtype = dtype); }
// ln of 1, 2, ...: the rates at which states decay at first.
fn state_rates(key: rngkey, shape: shape, dtype: dtype = f32) { return broadcast(ln(iota(shape[1]) as f32 + 1.0), shape) as dtype; }
// Of which softplus is 0.001 to 0.1, evenly by their logarithms.
fn state_times(key: rngkey, shape: shape, dtype: dtype = f32) { return ln(expm1(exp(uniform(key, shape, low = ln(0.001), high = ln(0.1), dtype = dtype)))); }

/// A layer of Mamba (Gu, Dao, 2023): x[n, t, d] -> [n, t, d], by `causal_conv`, `selective_scan` and a gate. What `m` holds says `Mamba`. Causal: the
/// first tokens' values do not change with later ones. In front of it belongs a norm, behind it x is added.
///     print(shape(nn.mamba(ones([2, 5, 4]), layer)));    // [2, 5, 4]
fn mamba(x, m) {
    let (e, s) = shape(m.rate);
    let r = shape(m.time)[0];
    let z = x @ m.up;
    let u = silu(causal_conv(z[.., .., 0..e], m.filter) + m.shift);
    let k = u @ m.mix;
    let delta = softplus(k[.., .., 0..r] @ m.time + m.least);
    let y = selective_scan(u, delta, -exp(m.rate), k[.., .., r..r + s], k[.., .., r + s..r + 2 * s], m.skip);
    return (y * silu(z[.., .., e..2 * e])) @ m.down;
}

/// Two layers with an activation between: f(x @ up + b) @ down + c.
///     print(nn.mlp([[1.0, 2.0]], eye(2), [0.0, 0.0], eye(2), [1.0, 1.0], f = relu));    // [[2, 3]]
fn mlp(x, up, b, down, c, f = gelu) {
    return f(x @ up + b) @ down + c;
}

/// silu(x @ gate) * (x @ up) @ down (Shazeer, 2020).
///     print(nn.swiglu([[1.0, 2.0]], eye(2), eye(2), eye(2)));    // [[0.731059, 3.52319]]
fn swiglu(x, gate, up, down) {
    return (silu(x @ gate) * (x @ up)) @ down;
}

/// How many inputs one output has: rows of a matrix [in, out]; channels times window of a filter [out, in, h, w].
///     print(nn.fan_in([784, 256]), nn.fan_in([8, 3, 5, 5]));    // 784 75
fn fan_in(shape: shape) {
    if rank(shape) < 3 { return shape[0]; }
    return floor_div(volume(shape), shape[0]);
}

/// How many outputs one input has.
///     print(nn.fan_out([784, 256]), nn.fan_out([8, 3, 5, 5]));    // 256 200
fn fan_out(shape: shape) {
    if rank(shape) < 2 { return shape[0]; }
    if rank(shape) == 2 { return shape[1]; }
    return floor_div(volume(shape), shape[1]);
}

/// Normal with variance 2 / fan_in, for relu.
///     print(std(nn.he(rng(1), [50, 100]), dim = 1)[0..2]);    // [0.2204, 0.18362]
fn he(key: rngkey, shape: shape, dtype: dtype = f32) {
    return normal(key, shape, std = sqrt(2.0 / fan_in(shape)), dtype = dtype);
}

/// Normal with variance 2 / (fan_in + fan_out), for tanh and sigmoid.
///     print(shape(nn.xavier(rng(1), [50, 100])));    // [50, 100]
fn xavier(key: rngkey, shape: shape, dtype: dtype = f32) {
    return normal(key, shape, std = sqrt(2.0 / (fan_in(shape) + fan_out(shape))), dtype = dtype);
}

/// Normal with variance 1 / fan_in.
///     print(shape(nn.lecun(rng(1), [50, 100])));    // [50, 100]
fn lecun(key: rngkey, shape: shape, dtype: dtype = f32) {
    return normal(key, shape, std = sqrt(1.0 / fan_in(shape)), dtype = dtype);
}

/// Each element dropped (0) with probability p, else divided by 1 - p, so that the mean stays. Which ones depends on the key and the logical
/// position alone: a new key for every step (`fold(rng(seed), step)`) and every use.
///     print(nn.dropout(ones([6]), rng(1), p = 0.5));    // [2, 2, 0, 2, 0, 0]
fn dropout(x, key: rngkey, p = 0.5) {
    if !is_tensor(p) { assert(0.0 <= p && p <= 1.0, message = "`p` is a probability, 0 to 1"); }
    let kept = x / (1.0 - p);
    return where(draw_uniform(key, shape(x), f32) >= p, kept, 0.0);
}

// ---- images: [batch, channels, height, width]

/// Mean 0 and variance 1 within each of `groups` groups of channels of every image (or sequence, or volume), then scaled and shifted per channel, if
/// these are given (Wu, He, 2018): x[n, c, ..], scale[c], shift[c] -> [n, c, ..]. The same in training and afterwards.
///     print(nn.groupnorm(reshape(iota(4) as f32, [1, 2, 1, 2]), ones([2]), zeros([2]), groups = 2));
///     // [[[[-0.99998, 0.99998]],
///     //   [[-0.99998, 0.99998]]]]
fn groupnorm[t: float](x: t[..], scale = none, shift = none, groups: int, eps = 1e-5) {
    let (n, c) = (shape(x)[0], shape(x)[1]);
    assert(c % groups == 0, message = "`groups` divides the channels, dimension 1");
    let y = reshape(x, [n, groups, c / groups, volume(shape(x)[2..])]);
    let d = off_group(y, finish(group_mean(y)));
    let v = finish(group_mean(d * d));
    if scale == none && shift == none { return reshape(of_group(d, v, eps), shape(x)); }
    let by = if scale == none => full(1.0, [c], x.dtype) else scale;
    let to_add = if shift == none => full(0.0, [c], x.dtype) else shift;
    let z = of_channels(d, v, reshape(by, [groups, c / groups]), reshape(to_add, [groups, c / groups]), eps);
    return reshape(z, shape(x));
}

op group_mean(y[n, g, c, k]) -> [n, g] = mean[c, k] y;
op off_group(y[n, g, c, k], m[n, g]) -> [n, g, c, k] = y - m;
op of_group(d[n, g, c, k], v[n, g], eps: f64) -> [n, g, c, k] = d * rsqrt(v + eps);
op of_channels(d[n, g, c, k], v[n, g], scale[g, c], shift[g, c], eps: f64) -> [n, g, c, k] = d * rsqrt(v + eps) * scale + shift;

/// Mean 0 and variance 1 of each channel of every image (Ulyanov et al., 2016), else as `groupnorm`.
///     print(nn.instancenorm(reshape(iota(4) as f32, [1, 2, 2])));
///     // [[[-0.99998, 0.99998],
///     //   [-0.99998, 0.99998]]]
fn instancenorm(x, scale = none, shift = none, eps = 1e-5) {
    return groupnorm(x, scale, shift, groups = shape(x)[1], eps = eps);
}

/// What `batchnorm` has seen of c channels: `state seen : nn.Seen[16];`, on a placement `nn.Seen[16, p]`.
///     print(seen.mean, seen.variance);    // [0] [1]
struct Seen[c, p: place] {
    mean     : f32[c] @ p = zeros(),
    variance : f32[c] @ p = ones()
}

/// Mean 0 and variance 1 of each channel, then scaled and shifted (Ioffe, Szegedy, 2015): x[n, c, ..], scale[c], shift[c] -> [n, c, ..]. In training
/// over the whole logical batch, on however many ranks it is, and `seen` moves towards its mean and (unbiased) variance by the share `momentum`;
/// with training = false by what `seen` holds (for f64 a struct of one's own may have its fields of f64).
///     print(nn.batchnorm([[1.0], [3.0]] as f32, ones([1]), zeros([1]), seen), seen.mean);
///     // [[-0.999995],
///     //  [0.999995]] [0.2]
fn batchnorm[t: float](x: t[..], scale, shift, seen, training: bool = true, momentum = 0.1, eps = 1e-5) {
    let c = shape(x)[1];
    let y = reshape(x, [shape(x)[0], c, -1]);
    if !training { return reshape(normed(off_mean(y, seen.mean as t), seen.variance as t, scale, shift, eps), shape(x)); }
    let m = finish(channel_mean(y));
    let d = off_mean(y, m);
    let v = finish(channel_mean(d * d));
    let count = 1.0 * volume(y) / c;
    seen.mean = (1.0 - momentum) * seen.mean + momentum * (stop_gradient(m) as seen.mean.dtype);
    seen.variance = (1.0 - momentum) * seen.variance + momentum * (count / max(count - 1.0, 1.0)) * (stop_gradient(v) as seen.variance.dtype);
    return reshape(normed(d, v, scale, shift, eps), shape(x));
}

op channel_mean(y[n, c, k]) -> [c] = mean[n, k] y;
op off_mean(y[n, c, k], m[c]) -> [n, c, k] = y - m;
op normed(d[n, c, k], v[c], scale[c], shift[c], eps: f64) -> [n, c, k] = d * rsqrt(v + eps) * scale + shift;

/// Images in pieces of size * size: x[n, c, h, w] -> [n, h / size * (w / size), c * size * size].
///     print(shape(nn.patches(ones([1, 3, 8, 8]), 4)));    // [1, 4, 48]
fn patches[n, c, h, w, t: float](x: t[n, c, h, w], size: int) {
    assert(size > 0 && h % size == 0 && w % size == 0, message = "`size` divides height and width");
    let y = reshape(x, [n, c, h / size, size, w / size, size]);
    let z[n, a, b, c, p, q] = y[n, c, a, p, b, q];
    return reshape(z, [n, (h / size) * (w / size), c * size * size]);
}

/// x[n, c, h, w] with filters k[o, c, p, q] and b[o] -> [n, o, ...], of the same height and width where pad = p / 2.
///     print(shape(nn.conv(ones([1, 3, 8, 8]), ones([4, 3, 3, 3]), zeros([4]), pad = 1)));    // [1, 4, 8, 8]
fn conv(x, k, b, stride: int = 1, pad: int = 0) {
    let y = conv2d(x, k, stride = stride, pad = pad);
    let out[n, o, h, w] = y[n, o, h, w] + b[o];
    return out;
}

/// Convolution with odd windows, norm over groups of channels, activation: x[n, c, h, w], k[o, c, p, p], scale[o], shift[o] ->
/// [n, o, (h - 1) / stride + 1, ...].
///     print(shape(nn.conv_block(ones([1, 3, 8, 8]), ones([4, 3, 3, 3]), ones([4]), zeros([4]), stride = 2)));
///     // [1, 4, 4, 4]
fn conv_block(x, k, scale, shift, groups: int = 4, stride: int = 1, f = relu) {
    let y = conv2d(x, k, stride = stride, pad = floor_div(shape(k)[2], 2));
    return f(groupnorm(y, scale, shift, groups));
}

/// The mean of every channel: x[n, c, h, w] -> [n, c].
///     print(nn.global_pool(reshape(iota(8) as f32, [1, 2, 2, 2])));    // [[1.5, 5.5]]
fn global_pool[n, c, h, w, t: float](x: t[n, c, h, w]) {
    return mean_along(reshape(x, [n, c, h * w]));
}

// ---- mixture of experts
//
// Tokens come in groups, [groups, tokens, width]: those of a group share out the places of the experts, so groups can be split over ranks
// and the result is the same. An expert has `capacity` places in each group; what finds no place passes by (contributes 0).
//
//   let (table, place, weight, balance) = nn.route(x @ wg, k = 2, capacity = 16);
//   let z = nn.dispatch(x, table, experts = 8) to (ep=S(1));                         // all-to-all: from groups split to experts split
//   let h = gelu(nn.experts(z, up));                                    // up[experts, width, hidden] : (ep=S(0))
//   let y = nn.combine(nn.experts(h, down) to (ep=S(0)), place, weight, k = 2);

/// Where tokens go (Lepikhin et al., 2021; Fedus et al., 2022): of scores[g, t, e] the k best experts of each token, the best choices of all
/// tokens before the second ones. Gives table[g, e * capacity], the token on each place (-1: none); place[g, k * t], the place of each choice
/// (e * capacity: none); weight[g, k * t], the share of each choice, together 1 for a token; balance, e times the sum over experts of the share of
/// first choices times the mean probability: 1 where all are alike, to be added to the loss times 0.01 or so.
///     let (table, place, weight, balance) = nn.route([[[0.0, 1.0], [1.0, 0.0]]] as f32, k = 1, capacity = 1);
///     print(table, place, weight, balance);    // [[1, 0]] [[1, 0]] [[1, 1]] 1
fn route[g, t, e, f: float](scores: f[g, t, e], k: int, capacity: int) {
    let p = softmax(scores);
    let (best, expert) = top_k(p, k);
    let weight = transposed(div_along(best, finish(sum_along(best))), [g, k * t]);
    let choice = transposed(expert, [g, k * t]);
    let marks = one_hot(choice, e, dtype = i32);                         // [g, k * t, e]
    let number = pick(cumsum(marks, dim = 1), choice) - 1;               // of the choice among those of its expert
    let place = where(number < capacity, choice * capacity + number, e * capacity) as i32;
    let token = broadcast_rows((iota(k * t) % t + 1) as i32, place);
    let table = add_along_at(place, token, n = e * capacity + 1)[.., 0..e * capacity] - 1;
    let first = one_hot(expert[.., 0], e, dtype = f);
    let chosen = finish(mean(mean(first, dim = 0), dim = 0));
    let likely = finish(mean(mean(p, dim = 0), dim = 0));
    return (table as i32, place, weight, sum(chosen * likely) * e);
}

// [g, t, k] as [g, k * t]: all first choices, then all second ones.
fn transposed(x, sizes: shape) {
    let y[g, k, t] = x[g, t, k];
    return reshape(y, sizes);
}

op broadcast_rows(a[m]: int, like[g, m]: int) -> [g, m] = a[m] + 0 * like;
op rows_at(x[g, t, d], i[g, m]: int) -> [g, m, d] = x[g, i?, d];

/// The tokens on the places of the experts: x[g, t, d], table[g, e * c] -> [g, e, c, d]; 0 where there is none.
///     print(nn.dispatch([[[1.0, 2.0], [3.0, 4.0]]], [[1, 0]] as i32, experts = 2));
///     // [[[[3, 4]],
///     //   [[1, 2]]]]
fn dispatch[g, t, d, m, f: float](x: f[g, t, d], table: i32[g, m], experts: int) {
    return reshape(rows_at(x, table), [g, experts, m / experts, d]);
}

/// Each expert's matrix on its places: z[g, e, c, d], w[e, d, f] -> [g, e, c, f].
///     print(nn.experts(ones([1, 2, 1, 1]), reshape([2.0, 3.0] as f32, [2, 1, 1])));
///     // [[[[2]],
///     //   [[3]]]]
fn experts(z, w) {
    let y[g, e, c, f] = sum[d] z[g, e, c, d] * w[e, d, f];
    return y;
}

/// What the experts say of each token, by its shares: y[g, e, c, d], place and weight[g, k * t] -> [g, t, d].
///     print(nn.combine([[[[5.0]], [[7.0]]]], [[1, 0]] as i32, [[1.0, 1.0]], k = 1));
///     // [[[7],
///     //   [5]]]
fn combine[g, e, c, d, m, f: float](y: f[g, e, c, d], place: i32[g, m], weight: f[g, m], k: int) {
    let said = mul_rows(rows_at(reshape(y, [g, e * c, d]), place), weight);
    return sum(reshape(said, [g, k, m / k, d]), dim = 1);
}

op mul_rows(x[g, m, d], w[g, m]) -> [g, m, d] = x * w;

// ---- weights of 8 and 4 bits

/// Weights w[k, n] as whole numbers of 8 bits, for inference: (q, scale), i8[k / group, group, n] and f32[k / group, n], of which w is about
/// q * scale. In each `group` rows of a column the largest number is 127 or -127. With `bits = 4` it is 7 or -7, and two rows share a byte:
/// u8[k / group, group / 2, n], the number of an even row and 8 in the low half, of the odd row after it in the high one.
///     let (q, scale) = nn.quantize([[1.0, -2.0], [0.5, 4.0]] as f32, group = 2);
///     print(q);
///     // [[[127, -64],
///     //   [64, 127]]]
fn quantize(w, group: int = 64, bits: int = 8) {
    assert(bits == 8 || bits == 4, message = "`quantize` makes numbers of 8 or of 4 `bits`");
    assert(shape(w)[0] % group == 0, message = "`quantize` takes rows in groups of equal size: `group` divides their number");
    assert(bits == 8 || group % 2 == 0, message = "two rows of 4 `bits` share a byte: `group` is even");
    return quantize_groups(reshape(w, [shape(w)[0] / group, group, shape(w)[1]]), bits);
}

fn quantize_groups(w, bits: int) {
    let scale = max(abs(w), dim = 1) / (if bits == 8 => 127.0 else 7.0);
    let q = whole_numbers(w, scale);
    if bits == 8 { return (q, scale); }
    return (in_pairs(reshape(q, [shape(q)[0], shape(q)[1] / 2, 2, shape(q)[2]])), scale);
}

op whole_numbers(w[g, i, j], scale[g, j]) -> [g, i, j]: i8 = if scale > 0.0 => round(w / scale) as i8 else 0;
op in_pairs(q[g, i, h, j]: i8) -> [g, i, j]: u8 = ((q[g, i, 0, j] as i32) + 8 + 16 * ((q[g, i, 1, j] as i32) + 8)) as u8;

/// The weights again, f32[k, n].
///     let (q, scale) = nn.quantize([[1.0, -2.0], [0.5, 4.0]] as f32, group = 2);
///     print(nn.dequantize(q, scale));
///     // [[1, -2.01575],
///     //  [0.503937, 4]]
fn dequantize(q, scale) {
    if q.dtype == u8 {
        let rows = stack([widened(low_half(q), scale), widened(high_half(q), scale)], dim = 2);
        return reshape(rows, [shape(q)[0] * 2 * shape(q)[1], shape(q)[2]]);
    }
    return reshape(widened(q, scale), [shape(q)[0] * shape(q)[1], shape(q)[2]]);
}

op widened(q[g, i, j], scale[g, j]) -> [g, i, j] = (q as f32) * scale;
op low_half(q[..]: u8) -> [..] = (q % 16) as f32 - 8.0;
op high_half(q[..]: u8) -> [..] = floor_div(q, 16) as f32 - 8.0;

/// x[n, k] times weights that are kept as whole numbers of 8 or 4 bits. A few rows, as in decoding, read the bits of each weight and widen them
/// where they are multiplied; for more rows all are widened first.
///     let (q, scale) = nn.quantize([[1.0, -2.0], [0.5, 4.0]] as f32, group = 2);
///     print(nn.quantized([[2.0, 0.0]] as f32, q, scale));    // [[2, -4.0315]]
fn quantized(x, q, scale) {
    if shape(x)[0] > 4 { return x @ dequantize(q, scale); }
    var rows = [];
    for i in 0..shape(x)[0] { rows = rows + [quantized_row(x[i], q, scale)]; }
    return stack(rows, dim = 0);
}

fn quantized_row(x, q, scale) {
    if q.dtype == u8 { return halves_row(reshape(x, [shape(q)[0], shape(q)[1], 2]), q, scale); }
    return scaled(group_sums(reshape(x, [shape(q)[0], shape(q)[1]]), q), scale);
}

op group_sums(x[g, i], q[g, i, j]: i8) -> [g, j] = sum[i] x * (q as f32);
op scaled(y[g, j], scale[g, j]) -> [j] = sum[g] y * scale;
op halves_row(x[g, i, h], q[g, i, j]: u8, scale[g, j]) -> [j] =
    sum[g, i] (x[g, i, 0] * low_half(q) + x[g, i, 1] * high_half(q)) * scale;
