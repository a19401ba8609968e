// parallel.pml — the customary parallel schemes, ready made, on a placement with the axes `dp` and `tp`: ranks(0..8) as (dp = 4, tp = 2).
// Either axis may have length 1, so a program is moved from one scheme to the other by the placement alone.
//
// A scheme is a choice of layouts and of the places where they change; nothing else in a program differs.
//
// | scheme | params | activations [batch, ...] | where layouts change |
// |---|---|---|---|
// | data | `B` | `(dp=S(0))` | `batch` |
// | ZeRO-1, ZeRO-2 | `B` | `(dp=S(0))` | `batch`; `value_and_grad(f, grads : (dp=S(0)))` |
// | ZeRO-3 | `(dp=S(0))`, also with tp | `(dp=S(0))` | `batch`; `whole(w)` where w is used |
// | tensor | `(tp=S(1))`, then `(tp=S(0))` | `(dp=S(0))`, hidden ones tp too | `summed` behind the second product |
// | sequence | as tensor | `(dp=S(0), tp=S(1))` | `gather_tokens` before, `scatter_tokens` behind the products |
// | context | `B` | `(dp=S(0), tp=S(1))` | `split_heads` before attention, `split_tokens` behind |
// | expert | `(dp=S(0))` | `(dp=S(0))` | `to_experts` before, `from_experts` behind the experts |
//
// The examples stand in `main` of a program that begins with
//
//     import std.parallel;
//
//     place grid = ranks(0..4) as (dp = 2, tp = 2);

/// A batch x[n, ..], split over dp; every rank reads its part only.
///     print(sum(parallel.batch(ones([4, 3]), grid)) to B);    // 12
fn batch(x, on: place) {
    return x to @on : (dp=S(0));
}

/// ZeRO-3 (Rajbhandari et al., 2020): a param kept in shares along dp, whole where it is used; what its derivative has to be is
/// scattered by the same rule. Sends w once forward, and once backward.
///     let w = ones([4, 3]) to @grid : (dp=S(0));
///     print(parallel.whole(w));
///     // [[1, 1, 1],
///     //  [1, 1, 1],
///     //  [1, 1, 1],
///     //  [1, 1, 1]]
fn whole[t: float, d: layout, l: layout](w: t[..] : (dp=d, tp=l)) {
    return w to (tp=l);
}

/// Tensor parallel (Shoeybi et al., 2019): what stands behind a product whose contracted dimension is split over tp, y[n, ..]: an
/// all-reduce.
///     let x = ones([4, 8]) to @grid : (dp=S(0), tp=S(1));
///     let w = ones([8, 2]) to @grid : (tp=S(0));
///     print(parallel.summed(x @ w) to B);
///     // [[8, 8],
///     //  [8, 8],
///     //  [8, 8],
///     //  [8, 8]]
fn summed(y) {
    return y to (dp=S(0));
}

/// Sequence parallel (Korthikanti et al., 2023): x[n, tokens, ..] with its tokens split over tp, whole for a product: an all-gather.
///     let x = ones([4, 6, 2]) to @grid : (dp=S(0), tp=S(1));
///     print(sum(parallel.gather_tokens(x)) to B);    // 48
fn gather_tokens(x) {
    return x to (dp=S(0));
}

/// The other way: unfinished sums or whole tokens y[n, tokens, ..] to tokens split over tp: a reduce-scatter, or nothing.
///     let x = ones([4, 6, 8]) to @grid : (dp=S(0), tp=S(2));
///     let w = ones([8, 2]) to @grid : (tp=S(0));
///     print(sum(parallel.scatter_tokens(x @ w)) to B);    // 384
fn scatter_tokens(y) {
    return y to (dp=S(0), tp=S(1));
}

/// Context parallel (Jacobs et al., 2023): q, k or v [n, heads, tokens, width] from tokens split over tp to heads split over tp, so that each
/// head sees all tokens: an all-to-all.
///     let q = ones([4, 2, 6, 3]) to @grid : (dp=S(0), tp=S(2));
///     print(sum(parallel.split_heads(q)) to B);    // 144
fn split_heads(q) {
    return q to (dp=S(0), tp=S(1));
}

/// What attention gives, [n, heads, tokens, width], from heads to tokens split over tp: an all-to-all.
///     let o = ones([4, 2, 6, 3]) to @grid : (dp=S(0), tp=S(1));
///     print(sum(parallel.split_tokens(o)) to B);    // 144
fn split_tokens(o) {
    return o to (dp=S(0), tp=S(2));
}

/// Expert parallel (Lepikhin et al., 2021): what nn.dispatch gives, z[groups, experts, capacity, width], from groups to experts split over dp:
/// an all-to-all.
///     let z = ones([2, 4, 3, 5]) to @grid : (dp=S(0));
///     print(sum(parallel.to_experts(z)) to B);    // 120
fn to_experts(z) {
    return z to (dp=S(1));
}

/// What experts give, y[groups, experts, capacity, width], back to groups split over dp: an all-to-all.
///     let y = ones([2, 4, 3, 5]) to @grid : (dp=S(1));
///     print(sum(parallel.from_experts(y)) to B);    // 120
fn from_experts(y) {
    return y to (dp=S(0));
}
