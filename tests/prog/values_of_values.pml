//% test 2 (1)
// What programs say by values of their own: the least int, element types of other values, tensors of numbers that the program computes,
// tangents that are numbers.
place all = ranks(0..2);
const T : dtype = bf16;
config a : f32 = 2.5;
config n : int = 3;
param w : T[3] @ all = ones();

op like(x[..], y[..]) -> [..] = x as y.dtype;
fn like_of(x, y) { return x as y.dtype; }
fn doubled(x, t: dtype) { return (x as t) * 2.0; }
fn square_of(x) { return x * x; }
fn of_list(x) { let s = sum(x * x); let t = [s, 2.0 * s, 1.0] as f32; return sum(t * t); }

test "the least int" {
    assert(-9223372036854775808 + 9223372036854775807 == -1);
    assert_equal([-9_223_372_036_854_775_808] as i64 + 1, [-9223372036854775807] as i64);
}

test "element types" {
    let x = [1.5, 2.5] as f32;
    let k = x.dtype;
    assert_equal(like_of(x, [1] as i32), [1, 2] as i32);
    assert_equal(like(x, [1, 1] as i64), [1, 2] as i64);
    assert_equal(doubled(x, f64), [3.0, 5.0] as f64);
    assert_equal([1, 2] as k / 2.0, [0.5, 1.0] as f32);
    assert((x as T).dtype == bf16 && (x as w.dtype).dtype == bf16);
}

test "lists" {
    let v = [1.0, 2.0] as f32;
    let pos = sum(v);
    let whole = sum(v to @all : S(0)) to B;
    assert_equal([pos, 2.0 * pos] as f64, [3.0, 6.0] as f64);
    assert_equal([whole, 1.0, a] as f32, [3.0, 1.0, 2.5]);
    assert_equal([n, 1] as i64, [3, 1] as i64);
    assert_equal([[pos, 1], [n, 2]] as f32, [[3.0, 1.0], [3.0, 2.0]]);
    assert_equal([v, 2.0 * v] as f64, [[1.0, 2.0], [2.0, 4.0]] as f64);
    assert([a > 2.0, n > 5] as bool == [true, false]);
    assert_close(grad(of_list)(v), [100.0, 200.0]);
}

test "tangents" {
    let v = [1.0, 2.0] as f32;
    assert_equal(jvp(square_of)(sum(v), 1.0)[1], 6.0);
    assert_equal(jvp(square_of)(v, [1, 0])[1], [2.0, 0.0]);
    assert_equal(vjp(square_of)(v, [1.0, 0.5])[1], [2.0, 2.0]);
}
