// contractions.pml — products of matrices, and what `@` stands for.

// ---- a tensor and one with a dimension less ----

/// b[..] added to each element of the lines of a[.., k].
///     print(add_along([[1, 2], [3, 4]], [10, 20]));
///     // [[11, 12],
///     //  [23, 24]]
op add_along(a[.., k], b[..]) -> [.., k] = a + b;
/// b[..] subtracted from each element of the lines of a[.., k].
///     print(sub_along([[1, 2], [3, 4]], [1, 3]));
///     // [[0, 1],
///     //  [0, 1]]
op sub_along(a[.., k], b[..]) -> [.., k] = a - b;
/// Each line of a[.., k] times an element of b[..].
///     print(mul_along([[1, 2], [3, 4]], [10, 20]));
///     // [[10, 20],
///     //  [60, 80]]
op mul_along(a[.., k], b[..]) -> [.., k] = a * b;
/// Each line of a[.., k] divided by an element of b[..].
///     print(div_along([[1.0, 2.0], [3.0, 4.0]], [2.0, 4.0]));
///     // [[0.5, 1],
///     //  [0.75, 1]]
op div_along(a[.., k], b[..]) -> [.., k] = a / b;

// ---- contractions: what `@` stands for, by the number of dimensions ----

/// The product of matrices, batches in front: [.., m, k] @ [k, n] or [.., k, n] -> [.., m, n].
///     print(matmul([[1.0, 2.0]], [[3.0], [4.0]]), [[1.0, 2.0]] as f32 @ [[3.0], [4.0]]);    // [[11]] [[11]]
op matmul(a[.., m, k], b[.., k, n]) -> [.., m, n] = sum[k] a * b using gemm;
/// [.., m, k] @ [k] -> [.., m].
///     print(matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]));    // [21, 43]
op matvec(a[.., m, k], b[k]) -> [.., m] = sum[k] a * b;
/// [k] @ [.., k, n] -> [.., n].
///     print(vecmat([1.0, 10.0], [[1.0, 2.0], [3.0, 4.0]]));    // [31, 42]
op vecmat(a[k], b[.., k, n]) -> [.., n] = sum[k] a * b;
/// The scalar product of two vectors.
///     print(dot([1.0, 2.0], [3.0, 4.0]));    // 11
op dot(a[k], b[k]) -> [] = sum[k] a * b;
/// [i], [j] -> [i, j], all products.
///     print(outer([1.0, 2.0], [3.0, 4.0]));
///     // [[3, 4],
///     //  [6, 8]]
op outer(a[i], b[j]) -> [i, j] = a * b;
op beside(a[i, j], b[p, q]) -> [i, p, j, q] = a * b;

/// b times each element of a, in its place: [n, m], [p, q] -> [n p, m q].
///     print(kron([[1.0, 2.0]] as f32, [[1.0], [3.0]] as f32));
///     // [[1, 2],
///     //  [3, 6]]
fn kron(a, b) {
    return reshape(beside(a, b), [shape(a)[0] * shape(b)[0], shape(a)[1] * shape(b)[1]]);
}

/// The vector product of lines of three elements along `dim`.
///     print(cross([1.0, 0.0, 0.0] as f32, [0.0, 1.0, 0.0] as f32));    // [0, 0, 1]
fn cross(a, b, dim = -1) {
    assert(shape(a)[dim] == 3 && shape(b)[dim] == 3, message = "`cross` is of lines of three elements");
    return roll(a, -1, dim) * roll(b, -2, dim) - roll(a, -2, dim) * roll(b, -1, dim);
}

op squared_differences(a[.., m, k], b[.., n, k]) -> [.., m, n] = sum[k] (a - b) * (a - b);
op squared_by_product(p[.., m, n], s[.., m], t[.., n]) -> [.., m, n] = max(s + t - 2 * p, 0);

/// Distances of points, sqrt(sum (a - b)^2): a[.., m, d], b[.., n, d] -> [.., m, n]. By the product of a and b, off the mean of b, so that squares are exact to
/// 1e-6 of the largest in f32, and points that are much closer to each other than to the mean are not told apart; exact = true: by differences, which
/// takes as long to twice as long. The derivative of a distance that is 0 is 0.
///     print(distances([[0.0, 0.0], [3.0, 0.0]] as f32, [[0.0, 4.0]] as f32));
///     // [[4],
///     //  [5]]
fn distances(a, b, exact: bool = false) {
    if exact { return root(finish(squared_differences(a, b))); }
    let m = stop_gradient(finish(mean_along(b, dim = -2)));
    let (u, v) = (sub_along(a, m, dim = -2), sub_along(b, m, dim = -2));
    return root(squared_by_product(finish(u @ transpose(v)), finish(sum_along(u * u)), finish(sum_along(v * v))));
}

/// [.., j] + [j].
///     print(bias([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]));
///     // [[11, 22],
///     //  [13, 24]]
op bias(a[.., j], b[j]) -> [.., j] = a + b;
