// Extents of one and none, and ranks that hold nothing. Values by hand.
//% ranks 1 3 (2 4)
//% bits tiny
const N : int = 1;
place p = ranks(0..N);
param w : f32[1, 1] @ p : S(0) = full(2.0);
param e : f32[0, 3] @ p : S(0) = zeros();
fn f(x: f32[1, 1]) { return sum(relu(x @ w to B)); }

main {
    let x = full(3.0, [1]) to @p : S(0);
    print(x to B, x + x to B, sum(x) to B, max(x) to B, prod(x) to B, mean(x) to B, argmax(x to B), x[0] to B, transpose(reshape(x, [1, 1])) to B);
    let two = iota(2) as f32 to @p : S(0);
    print(two to B, exp(two) to B, sum(two) to B, min(two) to B, two @ two to B, concat([two, x]) to B, two[1..] to B, two * (two to B) to B);
    let m = reshape(iota(3) as f32, [3, 1]) to @p : S(0);
    print(m to B, m @ full(2.0, [1, 1]) to B, m to S(1) to B, (m to P) to S(0) to B, transpose(m) to B, sum(m, dim = 1) to B, max(m, dim = 0) to B);
    let (l, g) = value_and_grad(f)(full(3.0, [1, 1]) to @p);
    print(l, g.w to B);
    let none_ = zeros([0]) to @p : S(0);
    print(none_ to B, sum(none_) to B, prod(none_) to B, none_ + none_ to B, concat([none_, x]) to B, concat([none_, ones([2])]) to B, x[1..1] to B, reshape(none_, [0, 4]) to B);
    print(e to B, sum(e, dim = 0) to B, e @ ones([3, 2]) to B, (ones([2, 0]) to @p) @ (zeros([0, 2]) to @p), shape(e), volume(e));
    print(transpose(e) @ (e to B) to B, e @ transpose(e to B) to B, sum(e * e) to B);
    print(max(none_) to B, min(none_) to B);
    print(full(1.0, []) to @p, sum(full(1.0, []) to @p), one_hot(zeros([1], dtype = i32) to @p : S(0), 2) to B);
}
