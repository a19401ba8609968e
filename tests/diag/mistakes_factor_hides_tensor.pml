place p = ranks(0..2);
fn scores(q: f32[4, 3], k: f32[5, 3]) {
    let s[i, j] = sum[k] q[i, k] * k[j, k];  //~ PML0603
    return s;
}
main { print(scores(ones([4, 3]) to @p, ones([5, 3]) to @p)); }
