// Attention written out, heads split over tp, beside nn.attention. Values from NumPy.
//% fold 1 4
//% bits attention_by_hand
import std.nn;
place g = ranks(0..4) as (dp = 2, tp = 2);
fn attn(x: f64[2, 4, 6] @ g : (dp=S(0)), w: f64[6, 6] @ g : (tp=S(1))) {
    let q = permute(reshape(x @ w, [2, 4, 2, 3]), [0, 2, 1, 3]);
    let s = q @ transpose(q) / sqrt(3.0);
    let mask = reshape(iota(4), [4, 1]) >= iota(4);
    let a = softmax(where(mask, s, -1e30));
    return reshape(permute(a @ q, [0, 2, 1, 3]), [2, 4, 6]);
}
main {
    let x = sin(reshape(iota(48), [2, 4, 6]) as f64) to @g : (dp=S(0));
    let w = cos(reshape(iota(36), [6, 6]) as f64) / 3.0 to @g : (tp=S(1));
    print(attn(x, w) to B);
    let q = permute(reshape(x @ w, [2, 4, 2, 3]), [0, 2, 1, 3]);
    print(reshape(permute(nn.attention(q as f32, q as f32, q as f32), [0, 2, 1, 3]), [2, 4, 6]) to B);
}
