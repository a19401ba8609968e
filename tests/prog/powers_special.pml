// Powers that become roots and products have at infinities, zeros and below 0 the values that the function has, with their signs.
//% fold 1
state zero : f32[] = 0.0;

fn agree(x, y, z) {
    assert(all((y == z) || (is_nan(y) && is_nan(z))), message = "a power differs");
    assert(all((1.0 / y == 1.0 / z) || is_nan(y)), message = "the sign of a power differs");
    print(x, y);
}

fn root(x) { return x ** 0.5; }
fn power(x, y) { return x ** y; }

main {
    let inf = 1.0 / abs(zero);
    let x = concat([[4.0, 1.0, -4.0] as f32 + zero, [inf, -inf, zero, -zero, inf * zero] as f32]);
    agree(x, x ** 0.5, x ** (0.5 + zero));
    agree(x, x ** -0.5, x ** (zero - 0.5));
    agree(x, x ** 1.5, x ** (1.5 + zero));
    agree(x, x ** -1.5, x ** (zero - 1.5));
    agree(x, x ** 3.0, x ** (3.0 + zero));
    agree(x, x ** -1.0, x ** (zero - 1.0));
    agree(x, x ** -2.0, x ** (zero - 2.0));
    let (_, slope) = vjp(root)(x, ones(shape(x)));
    let (_, (by_x, _)) = vjp(power)(x, 0.5 + zero, ones(shape(x)));
    agree(x, slope, by_x);
    agree(x as f64, (x as f64) ** 0.5, (x as f64) ** (0.5 + zero as f64));
    agree(x as f64, (x as f64) ** 1.5, (x as f64) ** (1.5 + zero as f64));
}
