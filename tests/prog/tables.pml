// Data as indices: embed, pick, scatter_add, one_hot, in every split. Values: expected.py (numpy).
//% ranks 1 4 (2 3)
const N : int = 1;
place p = ranks(0..N);

main {
    let t = reshape(iota(15) as f32, [5, 3]) to @p : B;
    let i = iota(6) * 7 % 5 as i32 to @p : B;
    print("embed", embed(t, i), embed(t to S(0), i) to B, embed(t to S(1), i) to B, embed(t, i to S(0)) to B);
    print("embed of a matrix", embed(t, reshape(i, [2, 3])) to B);
    print("beyond", embed(t, (i + 3)?) to B, embed(t to S(0), (i - 2)?) to B);
    let scores = reshape((iota(18) * 5 % 11) as f32, [6, 3]) to @p : B;
    print("pick", pick(scores, i?), pick(scores to S(0), (i to S(0))?) to B, pick(scores to S(1), i?) to B);
    let u = reshape(iota(12) as f32, [6, 2]) to @p : B;
    print("scatter", scatter_add(i, u, rows = 5), scatter_add(i to S(0), u to S(0), rows = 5) to B, scatter_add(i, u to S(1), rows = 5) to B);
    print("one_hot", one_hot(i, 5), one_hot((i to S(0))?, 4, dtype = i32) to B);
    print("counts", scatter_add(i, ones([6, 1], dtype = i32) to @p, rows = 5), sum(one_hot(i, 5, dtype = i32), dim = 0));
    print("argmax", argmax(scores), argmax(scores to S(0)) to B, argmin(scores), argmax(scores, dim = 0));
}
