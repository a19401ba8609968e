// derivatives.pml — derivatives beyond gradients.
//
// The examples stand in `main` of a program that begins with
//
//     fn cubes(x) { return sum(x * x * x); }

/// The Hessian of a function of one tensor (or struct, tuple or list of them), whose value is one number, times v: the derivative of its
/// gradient along v.
///     print(hessian_vector(cubes, [1.0, 2.0] as f32, [1.0, 1.0] as f32));    // [6, 12]
fn hessian_vector(f, x, v) {
    let (g, product) = jvp(grad(f, wrt = 0))(x, v);
    return product;
}

// A tensor of that shape for each of its elements, which is 1, others 0.
fn units(shape: shape, dtype: dtype) { return reshape(eye(volume(shape)) as dtype, [volume(shape)] + shape); }

// f(x), of `jvp` where that is a number of the host, which is a tensor there; functions with a rule for cotangents have no `jvp`.
fn tensor_at(f, x) {
    let y = f(x);
    return if is_tensor(y) => y else jvp(f)(x, x)[0];
}

/// All derivatives of a function of one tensor: x[..], f(x)[.. of y] -> [.. of y, .. of x]. As many passes forward as x has elements, or
/// backward as f(x) has, whichever is less, all of them at once (`vmap`). The Hessian is jacobian(grad(f), x).
///     print(jacobian(square, [1.0, 3.0] as f32));
///     // [[2, 0],
///     //  [0, 6]]
fn jacobian[t: float](f, x: t[..]) {
    let y = tensor_at(f, x);
    let (n, m) = (volume(x), volume(y));
    if n >= m { return reshape(vmap(vjp(f), over = 1)(x, units(shape(y), y.dtype))[1], shape(y) + shape(x)); }
    let columns = reshape(vmap(jvp(f), over = 1)(x, units(shape(x), x.dtype))[1], [n, m]);
    return reshape(transpose(columns), shape(y) + shape(x));
}

/// Ends the test, or the program, unless the derivative of a function of one tensor is that of differences in `directions` drawn from the
/// key, up to rtol. Differences are of 2 eps; x is best f64.
///     check_gradient(square, [1.0, 3.0] as f64);
fn check_gradient[t: float](f, x: t[..], eps = 1e-5, rtol = 1e-6, directions: int = 3, key = rng(1)) {
    for i in 0..directions {
        let v = normal(fold(key, 2 * i), shape(x), dtype = x.dtype);
        let moved = tensor_at(f, x + eps * v) - tensor_at(f, x - eps * v);
        let ct = normal(fold(key, 2 * i + 1), shape(moved), dtype = moved.dtype);
        let (y, d) = vjp(f)(x, ct);
        let (by_derivative, by_differences) = (finish(sum(d * v)), finish(sum(ct * moved)) / (2.0 * eps));
        assert_close(by_derivative, by_differences, rtol = rtol, atol = rtol);
    }
}
