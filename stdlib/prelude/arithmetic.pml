// arithmetic.pml — numbers with a name, and what the signs stand for.

// ---- numbers with a name ----

/// What a circle measures around, of one across.
///     print(round(2.0 * pi), sin(pi / 2.0));    // 6 1
const pi : float = 3.141592653589793;
/// More than any number.
///     print(minimum([1.0, 3.0], inf), -inf < 0.0);    // [1, 3] true
const inf : float = 1.0 / 0.0;
/// What is no number, such as 0.0 / 0.0; not equal to itself.
///     print(is_nan([nan, 1.0] as f32));    // [true, false]
const nan : float = 0.0 / 0.0;

// ---- arithmetic: what the signs stand for ----

/// a + b, elementwise with broadcasting.
///     print(add([1, 2], [10, 20]), [1, 2] as f32 + 10.0);    // [11, 22] [11, 12]
op add(a[..], b[..]) -> [..] = a + b;
/// a - b.
///     print(sub([1, 2], [10, 20]), 10.0 - [1, 2] as f32);    // [-9, -18] [9, 8]
op sub(a[..], b[..]) -> [..] = a - b;
/// a * b.
///     print(mul([1, 2], [10, 20]));    // [10, 40]
op mul(a[..], b[..]) -> [..] = a * b;
/// a / b, of floats.
///     print(div([1.0, 2.0], [4.0, 4.0]));    // [0.25, 0.5]
op div(a[..], b[..]) -> [..] = a / b;
/// a / b of ints, rounded down: what `floor_div(a, b)` is.
///     print(floor_divide([7, -7], [2, 2]));    // [3, -4]
op floor_divide(a[..]: int, b[..]: int) -> [..] = floor_div(a, b);
/// The remainder of a / b, with the sign of a. Of ints 0 where b is 0.
///     print(mod([7, -7], [3, 3]), 7 % 3);    // [1, -1] 1
op mod(a[..], b[..]) -> [..] = a % b;
/// -a.
///     print(neg([1, -2]));    // [-1, 2]
op neg(a[..]) -> [..] = -a;
/// a to the power of b, floats.
///     print(pow([2.0, 3.0], [3.0, 2.0]), 2.0 ** 0.5);    // [8, 9] 1.4142135623731
op pow(a[..], b[..]) -> [..] = pow(a, b);

/// a == b, elementwise with broadcasting: bool[..].
///     print(equal([1, 2], [1, 3]));    // [true, false]
op equal(a[..], b[..]) -> [..] = a == b;
/// a != b.
///     print(not_equal([1, 2], [1, 3]));    // [false, true]
op not_equal(a[..], b[..]) -> [..] = a != b;
/// a < b.
///     print(less([1, 2], [2, 2]));    // [true, false]
op less(a[..], b[..]) -> [..] = a < b;
/// a <= b.
///     print(less_equal([1, 2], [2, 2]));    // [true, true]
op less_equal(a[..], b[..]) -> [..] = a <= b;
/// a > b.
///     print(greater([1, 3], [2, 2]));    // [false, true]
op greater(a[..], b[..]) -> [..] = a > b;
/// a >= b.
///     print(greater_equal([1, 2], [2, 2]));    // [false, true]
op greater_equal(a[..], b[..]) -> [..] = a >= b;
/// a && b, of bools.
///     print(iota(4) > 0 && iota(4) < 3);    // [false, true, true, false]
op logical_and(a[..], b[..]) -> [..] = a && b;
/// a || b, of bools.
///     print(iota(4) < 1 || iota(4) > 2);    // [true, false, false, true]
op logical_or(a[..], b[..]) -> [..] = a || b;
/// !a, of bools.
///     print(!(iota(4) > 1));    // [true, true, false, false]
op logical_not(a[..]) -> [..] = !a;

/// a where c holds, else b.
///     let x = [-1.0, 2.0] as f32;
///     print(where(x > 0.0, x, 0.0));    // [0, 2]
op where(c[..]: bool, a[..], b[..]) -> [..] = where(c, a, b);
